// What Material leaves out for screen readers and keyboards.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector('.md-search[role="dialog"]')?.setAttribute("aria-label", "Search");
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) {
    table.tabIndex = 0;
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", "Table");
  }
});

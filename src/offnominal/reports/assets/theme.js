// Light and dark colours: those of the system until the reader chooses.

function startTheme() {
  const root = document.documentElement;
  const stored = (value) => {
    try {
      return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value);
    } catch {
      return null;
    }
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const label = () => {
    byId("theme").textContent = dark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", dark() ? "Light colours" : "Dark colours");
    byId("theme").setAttribute("aria-pressed", String(dark()));
  };
  const before = stored();
  if (before) root.dataset.theme = before;
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    stored(root.dataset.theme);
    label();
  });
  system.addEventListener("change", label);
  label();
}

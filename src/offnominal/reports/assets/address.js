// The state of the page in its address: #section?name=value. It works from disk, and a copied link shows the same.

const address = { section: "", state: new URLSearchParams() };

function readAddress() {
  const [section, query = ""] = location.hash.slice(1).split("?");
  address.section = section;
  if (query) address.state = new URLSearchParams(query);
}

function writeAddress() {
  const query = address.state.toString();
  const hash = address.section || query ? `#${address.section}${query ? `?${query}` : ""}` : "";
  if (location.hash !== hash) history.replaceState(null, "", hash || location.href.split("#")[0]);
}

const remembered = (name) => address.state.get(name);

function remember(name, value) {
  if (value === null || value === "") address.state.delete(name);
  else address.state.set(name, value);
  writeAddress();
}

function startAddress() {
  addEventListener("hashchange", () => {
    if (location.hash.includes("?")) return location.reload();
    readAddress();
    writeAddress();
  });
  const target = address.section && document.getElementById(address.section);
  if (target) target.scrollIntoView();
}

readAddress();

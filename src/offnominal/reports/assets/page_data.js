// The data that a page carries for its scripts.

import { byId } from "./elements.js";

export const DATA = JSON.parse(byId("data").textContent);

"""Published values and ours: files with measured values, and the page and figures that are made from them."""

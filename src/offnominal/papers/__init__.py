"""Papers: one folder each, with its studies, study kind, published numbers, tables and figures."""

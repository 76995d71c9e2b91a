"""What axe finds on a page that shuts readers out."""

ALL = {"resultTypes": ["violations"]}
ANOTHER_LOOK = ALL | {"runOnly": ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]}
"""The rules that another width or other colours can break on a page where no width hides an element. All others judge
the document, which is the same in every look."""


def serious_findings(page, rules=ALL):
    """Return the serious and critical findings: rule, element, and what is wrong with it."""
    from axe_playwright_python.sync_playwright import Axe

    return [
        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"][:300])
        for each in Axe().run(page, options=rules).response["violations"]
        if each["impact"] in ("serious", "critical")
    ]

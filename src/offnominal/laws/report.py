"""Reports of law checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from offnominal.core.errors import LawBroken


@dataclass(frozen=True, slots=True)
class Finding:
    """Outcome of one law.

    Args:
        law: Name of the law.
        problem: Why the law is broken; empty if it holds.
        skipped: Why the law does not apply; empty if it was checked.
    """

    law: str
    problem: str = ""
    skipped: str = ""

    @property
    def holds(self) -> bool:
        """Whether the law was checked and holds."""
        return not self.problem and not self.skipped


@dataclass(frozen=True, slots=True)
class LawReport:
    """Outcome of all laws of one object.

    Args:
        subject: Name of the object.
        findings: One per law.
    """

    subject: str
    findings: tuple[Finding, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether no law is broken."""
        return not any(finding.problem for finding in self.findings)

    def raise_if_broken(self) -> None:
        """Raise :class:`LawBroken` with the object, each broken law and a case that breaks it."""
        broken = [f"{finding.law}: {finding.problem}" for finding in self.findings if finding.problem]
        if broken:
            raise LawBroken(f"{self.subject} breaks {len(broken)} law(s). " + " | ".join(broken))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)


class SkipLaw(Exception):
    """Raised by a law that does not apply to the object."""


def check_laws(subject: str, laws: dict[str, Callable[[], None]]) -> LawReport:
    """Check every law; a law is a function that raises if it is broken."""
    findings = []
    for law, check in laws.items():
        try:
            check()
        except SkipLaw as reason:
            findings.append(Finding(law, skipped=str(reason)))
        except Exception as error:
            findings.append(Finding(law, problem=str(error) or type(error).__name__))
        else:
            findings.append(Finding(law))
    return LawReport(subject, tuple(findings))

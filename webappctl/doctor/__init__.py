"""What this identity can do here, and what is missing. It reads, and asks for reviews of rights; it changes nothing.

Start reading in examine.py. The table of rights is in rights.py.
"""

from webappctl.doctor.asking import Patient
from webappctl.doctor.examine import Question, examine, without_server
from webappctl.doctor.findings import Ability, Check, Diagnosis, Section, Verdict
from webappctl.doctor.rights import ADDED, BUILDS_ON, RIGHTS, Mode, Right, Where

__all__ = [
    "ADDED",
    "BUILDS_ON",
    "RIGHTS",
    "Ability",
    "Check",
    "Diagnosis",
    "Mode",
    "Patient",
    "Question",
    "Right",
    "Section",
    "Verdict",
    "Where",
    "examine",
    "without_server",
]

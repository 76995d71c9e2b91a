"""Give the shipped policy cards the hash of their new content: PYTHONPATH=CHECKOUT/src python seal_cards.py CHECKOUT"""
import json, sys
from pathlib import Path
from offnominal.agents.files import PolicyCard
for path in sorted((Path(sys.argv[1]) / "src/offnominal/agents/trained").glob("*.json")):
    old = json.loads(path.read_text())
    card = PolicyCard.from_dict(old)
    new = card.replace(card_sha256="").digest() if old.get("card_sha256") else None
    if new and new != old["card_sha256"]:
        path.write_text(path.read_text().replace(old["card_sha256"], new)); print(path.name, new[:12])

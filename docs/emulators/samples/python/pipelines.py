# Customer.io's Pipelines API against the emulator, with requests (Debian: python3-requests).
# It lists every event, so start the emulator with --seed empty.
import os

import requests

url = os.environ.get("PIPELINES_URL", "http://127.0.0.1:4012")
key = os.environ.get("PIPELINES_API_KEY", "pipelines-emulator")

event = {"userId": "ada", "event": "Order Completed", "properties": {"total": 42}}
requests.post(f"{url}/v1/track", json=event, auth=(key, ""), timeout=10).raise_for_status()

# The vendor does not tell what becomes of an event; the emulator does.
for stored in requests.get(f"{url}/__emulator/events", timeout=10).json()["events"]:
    print(f"{stored['event']}: {stored['outcome']}")

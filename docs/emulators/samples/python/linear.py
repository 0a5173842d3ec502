# Linear's API against the emulator, with requests (Debian: python3-requests).
import os

import requests

url = os.environ.get("LINEAR_URL", "http://127.0.0.1:4010")
session = requests.Session()
session.headers["authorization"] = os.environ.get("LINEAR_API_KEY", "lin_api_emulator")


def send(query, **variables):
    response = session.post(f"{url}/graphql", json={"query": query, "variables": variables}, timeout=10)
    response.raise_for_status()
    return response.json()["data"]


team = send("{ teams(first: 1) { nodes { id } } }")["teams"]["nodes"][0]
send(
    "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }",
    input={"teamId": team["id"], "title": "Bake rye", "priority": 2},
)
query = "query($title: String!) { issues(filter: { title: { eq: $title } }) { nodes { title priorityLabel } } }"
for issue in send(query, title="Bake rye")["issues"]["nodes"]:
    print(f"{issue['title']}: {issue['priorityLabel']}")

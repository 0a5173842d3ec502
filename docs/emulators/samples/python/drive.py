# Google's own client against the emulator, from its discovery document (Debian: python3-googleapi).
import os

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.http import MediaInMemoryUpload

url = os.environ.get("DRIVE_URL", "http://127.0.0.1:4011")
drive = build(
    "drive",
    "v3",
    credentials=Credentials(token=os.environ.get("DRIVE_TOKEN", "drive-emulator")),
    discoveryServiceUrl=f"{url}/discovery/v1/apis/{{api}}/{{apiVersion}}/rest",
)

media = MediaInMemoryUpload(b"Rye and water", mimetype="text/plain", resumable=True)
drive.files().create(body={"name": "Rye.txt"}, media_body=media).execute()
found = drive.files().list(q="name = 'Rye.txt'", fields="files(id, name)").execute()
for file in found["files"]:
    content = drive.files().get_media(fileId=file["id"]).execute()
    print(f"{file['name']}: {content.decode()}")

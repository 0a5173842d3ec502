"""Drives an emulator with Google's client for Python. Usage: client.py URL"""

import io
import json
import sys
import urllib.request

import google.oauth2.credentials
from googleapiclient.discovery import build, build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseDownload, MediaIoBaseUpload

url = sys.argv[1]
credentials = google.oauth2.credentials.Credentials("drive-emulator")
address = url + "/discovery/v1/apis/{api}/{apiVersion}/rest"
drive = build("drive", "v3", credentials=credentials, discoveryServiceUrl=address, cache_discovery=False)
files = drive.files()

folder = files.create(body={"name": "From Python", "mimeType": "application/vnd.google-apps.folder"}, fields="id").execute()["id"]
text = MediaIoBaseUpload(io.BytesIO(b"one,two\n"), mimetype="text/csv")
small = files.create(body={"name": "small.csv", "parents": [folder]}, media_body=text, fields="id").execute()["id"]

content = bytes(range(256)) * 4096
upload = MediaIoBaseUpload(io.BytesIO(content), mimetype="application/octet-stream", chunksize=262144, resumable=True)
request = files.create(body={"name": "large.bin", "parents": [folder]}, media_body=upload, fields="id,size")
response = None
while response is None:
    _, response = request.next_chunk()
assert response["size"] == str(len(content)), response

received = io.BytesIO()
download = MediaIoBaseDownload(received, files.get_media(fileId=response["id"]), chunksize=300000)
done = False
while not done:
    _, done = download.next_chunk()
assert received.getvalue() == content

copied = files.copy(fileId=small, body={"name": "copy.csv"}, fields="id,parents").execute()
assert copied["parents"] == [folder], copied
listed = []
page = files.list(q="'%s' in parents" % folder, pageSize=2, fields="nextPageToken,files(name)")
while page is not None:
    answer = page.execute()
    listed += [each["name"] for each in answer["files"]]
    page = files.list_next(page, answer)
assert sorted(listed) == ["copy.csv", "large.bin", "small.csv"], listed

answers = {}
batch = drive.new_batch_http_request(callback=lambda name, answer, error: answers.update({name: error.resp.status if error else answer["name"]}))
batch.add(files.get(fileId=small), request_id="small")
batch.add(files.get(fileId="none"), request_id="none")
batch.execute()
assert answers == {"small": "small.csv", "none": 404}, answers

document = json.load(urllib.request.urlopen(url + "/discovery/v1/apis/drive/v3/rest"))
again = build_from_document(document, credentials=credentials)
comment = again.comments().create(fileId=small, body={"content": "Hello"}, fields="id,content").execute()
assert comment["content"] == "Hello"
start = again.changes().getStartPageToken().execute()["startPageToken"]
files.delete(fileId=copied["id"]).execute()
assert again.changes().list(pageToken=start).execute()["changes"][0]["removed"] is True
try:
    again.files().export(fileId=small, mimeType="text/plain").execute()
    raise AssertionError("A file with binary content was exported.")
except HttpError as error:
    assert error.resp.status == 403, error
print("done")

"""Python's standard library as a caller uses it: client.py WAY METHOD URL USER PASSWORD, the body on standard input."""

import base64
import sys
import urllib.request

way, method, url, user, password = sys.argv[1:]
request = urllib.request.Request(url, method=method)
if method == "POST":
    request.data = sys.stdin.buffer.read()
    request.add_header("Content-Type", "application/json")

opener = urllib.request.build_opener()
if way == "handler":
    # Sends the credentials once it was asked for them.
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    passwords.add_password(None, url, user, password)
    opener.add_handler(urllib.request.HTTPBasicAuthHandler(passwords))
else:
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    request.add_header("Authorization", f"Basic {token}")

with opener.open(request) as response:
    sys.stdout.buffer.write(response.read())

"""Python's standard library as a caller uses it: client.py METHOD URL USER PASSWORD, the body on standard input."""

import sys
import urllib.request

method, url, user, password = sys.argv[1:]
request = urllib.request.Request(url, method=method)
if method == "POST":
    request.data = sys.stdin.buffer.read()
    request.add_header("Content-Type", "application/json")

# Sends the credentials once it was asked for them.
passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
passwords.add_password(None, url, user, password)
opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))

with opener.open(request) as response:
    sys.stdout.buffer.write(response.read())

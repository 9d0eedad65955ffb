"""In place of a test program: writes down how cargo started it. usage: redgreen_dump.py FOLDER EXECUTABLE [WORD ...]"""

import hashlib
import json
import os
import sys

folder, executable = sys.argv[1:3]
with open(os.path.join(folder, hashlib.sha256(os.fsencode(executable)).hexdigest()), "w") as file:
    json.dump({"executable": executable, "folder": os.getcwd(), "variables": dict(os.environ)}, file)

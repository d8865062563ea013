#!/bin/sh
# The switch from the old site to the new one. Run each part by hand, in the project folder.
set -eu
OLD=https://www.example.com
PREVIEW=https://preview.example.net
NEW=https://www.example.com

# 1. Days before: how the old site answers. Read the lists: pages that no item has need a new
#    page or a redirect.
cmsmig baseline --site "$OLD"

# 2. While the new site is built: what is missing there. `--host` is what it gets at the switch.
cmsmig baseline --compare "$PREVIEW" --host www.example.com || [ $? -eq 4 ]

# 3. Right before the switch: once more.
cmsmig baseline --site "$OLD" --refresh

# 4. Switch DNS, wait until the new site answers, then compare. 4 means differences: correct
#    them in the new site and run this again.
cmsmig baseline --compare "$NEW" --json > switch.json

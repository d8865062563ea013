#!/bin/sh
# The switch from the old site to the new one. Run each part by hand, in the project folder.
set -eu
OLD=https://www.example.com
NEW=https://www.example.com

# 1. Days before: what the old site shows. Read the lists: pages that no item has need a new
#    page or a redirect.
cmsmig baseline --site "$OLD"

# 2. Right before the switch: once more, only what changed.
cmsmig baseline --site "$OLD" --refresh

# 3. Switch DNS, wait until the new site answers, then compare. 4 means differences: correct
#    them in the new site and run this again.
cmsmig baseline --compare "$NEW" --json > switch.json

#!/bin/sh
# Records the corpora of ../tests/conformance again. The README there has the same commands. This script also needs
# cargo, because xtask lists the versions.
set -eu
cd "$(dirname "$0")"
out=../tests/conformance
versions=$(cargo run --quiet --locked --package xtask -- versions)
version=$(echo "$versions" | tail -n 1)
oracle=$(mktemp -d)/oracle
go build -o "$oracle" .
record() { gzip -9n > "$out/$1-$version.jsonl.gz"; }
"$oracle" worlds --seed 2026 --count 2500 | "$oracle" decide --controllers protection | record decisions
handmade() { "$1" decide --controllers all < handmade.jsonl | "$1" gates | "$1" match | "$1" settle --controllers all; }
handmade "$oracle" | record handmade
# Worlds whose pods have ephemeral volumes, made by hand and random. Each minor answers such worlds.
ephemeral() { "$1" decide --controllers all < handmade-ephemeral.jsonl | "$1" settle --controllers all; }
ephemeral "$oracle" | record handmade-ephemeral
"$oracle" worlds --seed 2036 --count 300 --ephemeral | "$oracle" decide --controllers all | record ephemeral
"$oracle" worlds --seed 2037 --count 80 --ephemeral --cases=false | "$oracle" settle --controllers all | record outcomes-ephemeral
"$oracle" decide --controllers all --gates PersistentVolumeClaimUnusedSinceTime=true < handmade-gates.jsonl | record gates-handmade
echo "$versions" | sed '$d' | while read -r older arguments; do
    # shellcheck disable=SC2086 # several arguments
    go build $arguments -o "$oracle-$older" .
    handmade "$oracle-$older" | gzip -9n > "$out/handmade-$older.jsonl.gz"
    ephemeral "$oracle-$older" | gzip -9n > "$out/handmade-ephemeral-$older.jsonl.gz"
    "$oracle-$older" worlds --seed 2038 --count 60 --ephemeral | "$oracle-$older" decide --controllers all |
        gzip -9n > "$out/ephemeral-$older.jsonl.gz"
    "$oracle-$older" worlds --seed 2041 --count 300 --scheduling | "$oracle-$older" schedule |
        gzip -9n > "$out/scheduling-$older.jsonl.gz"
    "$oracle-$older" worlds --seed 2044 --count 40 --attaching | "$oracle-$older" attach |
        gzip -9n > "$out/attaching-$older.jsonl.gz"
    # Worlds with the tag since-1.34 are left out: not every older API server stores their objects.
    grep -v '"since-1.34"' handmade-scheduling.jsonl | "$oracle-$older" schedule |
        gzip -9n > "$out/scheduling-handmade-$older.jsonl.gz"
done
# What the controllers log at -v=5, in random worlds and in worlds with ephemeral volumes.
{ "$oracle" worlds --seed 2070 --count 60; "$oracle" worlds --seed 2071 --count 20 --ephemeral; } |
    "$oracle" decide --controllers all --logs | record logs
# What the attach/detach controller logs.
"$oracle" worlds --seed 2072 --count 40 --attaching | "$oracle" attach --logs | record attaching-logs
"$oracle" worlds --seed 2027 --count 500 --cases=false | "$oracle" match | record match
"$oracle" worlds --seed 2028 --count 300 --cases=false | "$oracle" settle | record outcomes
"$oracle" worlds --seed 2029 --count 300 --cases=false | "$oracle" settle --controllers protection | record outcomes-all
"$oracle" worlds --seed 2030 --count 80 --contended | "$oracle" settle --schedules 400 --quiet 200 --most 4000 | record outcomes-contended
"$oracle" worlds --seed 2031 --start 2 --count 6 --grouped | "$oracle" settle --controllers all | record outcomes-grouped
"$oracle" worlds --seed 2031 --count 60 --host-path --cases=false | "$oracle" settle --controllers protection | record outcomes-host-path
"$oracle" worlds --seed 2039 --count 1280 --scheduling | "$oracle" schedule | record scheduling
"$oracle" schedule < handmade-scheduling.jsonl | record scheduling-handmade
"$oracle" worlds --seed 2043 --count 300 --attaching | "$oracle" attach | record attaching
"$oracle" worlds --seed 2050 --count 40 --attaching-ends | "$oracle" attach | record attaching-ends
"$oracle" worlds --seed 2051 --count 120 --attaching-every-end | "$oracle" attach | record attaching-every-end
"$oracle" attach < handmade-attaching.jsonl | record attaching-handmade
"$oracle" worlds --seed 2042 --count 300 --pods --cases=false |
    "$oracle" settle --controllers all --scheduler --schedules 200 --quiet 200 --most 4000 | record pods
# Two worlds have rare ends that random schedules do not reach.
"$oracle" worlds --seed 777 --count 600 --pods --cases=false | grep -v -e '"pods-s777-000323"' -e '"pods-s777-000588"' |
    "$oracle" settle --controllers all --scheduler --schedules 200 --quiet 200 --most 4000 | record pods-further
# The external provisioner has a module of its own. The names of its recordings have its release and the release of its
# Kubernetes modules.
provisioner=$(mktemp -d)/provisioner
(cd provisioner && go build -o "$provisioner" .)
"$provisioner" worlds --seed 2040 --count 1800 | "$provisioner" provision | gzip -9n > "$out/provisioning-6.4.0-$version.jsonl.gz"
"$provisioner" provision < handmade-provisioning.jsonl | gzip -9n > "$out/provisioning-handmade-6.4.0-$version.jsonl.gz"
# The external attacher as well.
attacher=$(mktemp -d)/attacher
(cd attacher && go build -o "$attacher" .)
"$attacher" worlds --seed 2045 --count 210 | "$attacher" sync | gzip -9n > "$out/attacher-4.13.0-$version.jsonl.gz"
# The external resizer as well.
resizer=$(mktemp -d)/resizer
(cd resizer && go build -o "$resizer" .)
"$resizer" worlds --seed 2050 --count 420 | "$resizer" sync | gzip -9n > "$out/resizer-2.3.0-$version.jsonl.gz"
# The shared-volume controller of StorageOS as well.
shared=$(mktemp -d)/shared_volume
(cd shared_volume && go build -o "$shared" .)
"$shared" worlds --seed 2082 --count 270 | "$shared" sync | gzip -9n > "$out/shared-volume-1.2.16-$version.jsonl.gz"
# The volume manager of the kubelet as well.
kubelet=$(mktemp -d)/kubelet
(cd kubelet && go build -o "$kubelet" .)
"$kubelet" worlds --seed 2060 --count 400 | "$kubelet" mount | record mounting
"$kubelet" mount < kubelet/handmade-mount.jsonl | record mounting-handmade
"$kubelet" worlds --runs --seed 2061 --count 410 | "$kubelet" manage --repeatable | record managing
"$kubelet" manage < kubelet/handmade-manage.jsonl | record managing-handmade
"$kubelet" worlds --runs --seed 2073 --count 80 | "$kubelet" manage --repeatable --logs | record managing-logs
"$oracle" upstream --left-out upstream/LEFT-OUT.txt | record upstream
"$oracle" upstream --gates PersistentVolumeClaimUnusedSinceTime=true | record gates-upstream

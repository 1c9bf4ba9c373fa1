module completions {

  def "nu-complete kubectl-pvctl insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl color" [] {
    [ "auto" "always" "never" ]
  }

  # Predict, explain and repair PersistentVolumes and PersistentVolumeClaims
  export extern kubectl-pvctl [
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
  ]

  def "nu-complete kubectl-pvctl audit output" [] {
    [ "table" "wide" "json" "yaml" "name" "sarif" "junit" "markdown" "github" "prometheus" ]
  }

  def "nu-complete kubectl-pvctl audit kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl audit insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl audit disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl audit color" [] {
    [ "auto" "always" "never" ]
  }

  # Find what is wrong, the root of it, and what to do
  export extern "kubectl-pvctl audit" [
    --all                     # Show every finding, also those that follow from another one
    --fail-on: string         # Exit with 1 on findings of this severity or worse. If only rules are named, exit with 1 only on their findings (`*` stands for any letters). `unknown` exits with 3 if a rule was not judged, and with 1 on errors
    --exit-zero               # Exit with 0 even if there are findings
    --baseline: path          # Show only findings that are not in this file, the output of an earlier audit with -o json
    --suppressions: path      # The file with the suppressions; by default .pvctl.yaml in the working directory, if it exists. An object can also have a suppression in the annotation pvctl.dev/ignore: RULE=REASON
    --rules: string           # Apply only these rules; `*` stands for any letters
    --skip-rules: string      # Apply all rules except these
    --min-age: string         # Hide findings that are younger than this, such as 90s, 10m, 2h or 7d; findings with an imminent risk to data are always shown
    --output(-o): string@"nu-complete kubectl-pvctl audit output" # How to print the answer; with =FILE, it is written to that file. May be given several times, once without a file
    --no-headers              # Do not print the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --kube-version: string@"nu-complete kubectl-pvctl audit kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times
    --running: string         # An operation of the controller that is still running, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times
    --failures                # Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; for a larger component, the answer gives only bounds
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl audit insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl audit disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl audit color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...objects: string        # The objects to audit, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
  ]

  def "nu-complete kubectl-pvctl explain output" [] {
    [ "text" "wide" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl explain kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl explain insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl explain disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl explain color" [] {
    [ "auto" "always" "never" ]
  }

  # Explain why an object has its state, and what to do
  export extern "kubectl-pvctl explain" [
    --log: path               # Read this piece of a log of kube-controller-manager or of a kubelet, or stdin with `-`, and say which controller wrote each line, in which function, and at which leaf. With OBJECT or -n, show only the syncs that concern these objects. No cluster is read
    --recheck                 # If the object differs from its prediction, read it again after two resync periods (about 30 s), to see whether the controller acts. Cannot be combined with -f
    --actors: string          # Who acts besides the controllers: scheduler, drivers, recycler, attacher (with predict --attachments), `*` for all, or none. If somebody acts, all pods and nodes are read. Without this flag, the scheduler acts only if files have a waiting pod and everything that the scheduler reads
    --trace                   # Show each test of a decision: the field, the two values, the result; and what the controller logs at `-v=5`
    --output(-o): string@"nu-complete kubectl-pvctl explain output" # How to print the answer
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --kube-version: string@"nu-complete kubectl-pvctl explain kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times
    --running: string         # An operation of the controller that is still running, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times
    --failures                # Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; for a larger component, the answer gives only bounds
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl explain insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl explain disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl explain color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The objects, as kubectl names them: pod/NAME, pvc/NAME, sts/NAME, `pods NAME NAME`; a type alone means all objects in scope
  ]

  def "nu-complete kubectl-pvctl fix dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl fix output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl fix kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl fix insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl fix disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl fix color" [] {
    [ "auto" "always" "never" ]
  }

  # Show what is wrong, and repair it step by step
  export extern "kubectl-pvctl fix" [
    --all                     # Every object in scope, for use with --yes
    --only: string            # Only the findings of these rules; `*` stands for any letters
    --dry-run: string@"nu-complete kubectl-pvctl fix dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl fix output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl fix kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl fix insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl fix disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl fix color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...objects: string        # The objects: pvc/NAME or pv/NAME; if none is given, all in scope
  ]

  def "nu-complete kubectl-pvctl predict output" [] {
    [ "table" "wide" "json" "yaml" "name" ]
  }

  def "nu-complete kubectl-pvctl predict kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl predict insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl predict disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl predict color" [] {
    [ "auto" "always" "never" ]
  }

  # Predict what will happen to volumes and claims
  export extern "kubectl-pvctl predict" [
    --changed                 # Show only what may change
    --stuck                   # Show only objects with a problem that a person has to solve, and the cause; reads the same objects as `audit`
    --diagnosis               # Add the diagnosis of `explain` to each object of -o json and yaml; reads the same objects as `audit`
    --pods                    # Show also the pods that use claims: the node of each, or why it gets none; without --actors, the scheduler takes part then
    --attachments             # Show also how the attachments of volumes to nodes end; without --actors, the attachers of the drivers act then
    --actors: string          # Who acts besides the controllers: scheduler, drivers, recycler, attacher (with predict --attachments), `*` for all, or none. If somebody acts, all pods and nodes are read. Without this flag, the scheduler acts only if files have a waiting pod and everything that the scheduler reads
    --exit-code               # Exit with 1 if a change is predicted
    --trace                   # Show each test of a decision: the field, the two values, the result
    --contexts: string        # Ask the clusters of these kubeconfig contexts, or of `all`; prints a section for each, and a summary
    --output(-o): string@"nu-complete kubectl-pvctl predict output" # How to print the answer
    --no-headers              # Do not print the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --kube-version: string@"nu-complete kubectl-pvctl predict kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times
    --running: string         # An operation of the controller that is still running, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times
    --failures                # Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; for a larger component, the answer gives only bounds
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl predict insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl predict disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl predict color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...objects: string        # The objects to predict, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
  ]

  def "nu-complete kubectl-pvctl match output" [] {
    [ "table" "wide" "json" "yaml" "name" ]
  }

  def "nu-complete kubectl-pvctl match kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl match insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl match disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl match color" [] {
    [ "auto" "always" "never" ]
  }

  # Show which volumes fit a claim, and why the others do not
  export extern "kubectl-pvctl match" [
    --claim: path             # A file with a claim that does not exist yet; `-` is stdin
    --node: string            # Search like kube-scheduler for a pod on this node that uses only this claim (plugin `VolumeBinding`; the other plugins are left out)
    --output(-o): string@"nu-complete kubectl-pvctl match output" # How to print the answer
    --no-headers              # Do not print the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --kube-version: string@"nu-complete kubectl-pvctl match kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times
    --running: string         # An operation of the controller that is still running, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times
    --failures                # Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; for a larger component, the answer gives only bounds
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl match insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl match disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl match color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim, as kubectl names it: pvc/NAME or `pvc NAME`
  ]

  def "nu-complete kubectl-pvctl shared output" [] {
    [ "table" "wide" "json" "yaml" "name" ]
  }

  def "nu-complete kubectl-pvctl shared kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl shared insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl shared disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl shared color" [] {
    [ "auto" "always" "never" ]
  }

  # List the volumes that a server in the cluster serves to many pods
  export extern "kubectl-pvctl shared" [
    --provider-state: path    # A file with what the storage system itself says about its volumes, as JSON or YAML; `-` is stdin
    --output(-o): string@"nu-complete kubectl-pvctl shared output" # How to print the answer
    --no-headers              # Do not print the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --kube-version: string@"nu-complete kubectl-pvctl shared kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times
    --running: string         # An operation of the controller that is still running, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times
    --failures                # Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; for a larger component, the answer gives only bounds
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl shared insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl shared disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl shared color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...objects: string        # Volumes and claims, as kubectl names them
  ]

  def "nu-complete kubectl-pvctl rules output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl rules insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl rules disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl rules color" [] {
    [ "auto" "always" "never" ]
  }

  # List the rules of audit, or explain one
  export extern "kubectl-pvctl rules" [
    --output(-o): string@"nu-complete kubectl-pvctl rules output" # How to print the answer
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl rules insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl rules disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl rules color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    id?: string               # The rule to explain; without an id, all rules are listed
  ]

  def "nu-complete kubectl-pvctl snapshot output" [] {
    [ "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl snapshot insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl snapshot disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl snapshot color" [] {
    [ "auto" "always" "never" ]
  }

  # Print all objects that were read, without credentials, for use with -f
  export extern "kubectl-pvctl snapshot" [
    --output(-o): string@"nu-complete kubectl-pvctl snapshot output" # How to print it
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl snapshot insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl snapshot disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl snapshot color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete kubectl-pvctl retain dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl retain output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl retain kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl retain insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl retain disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl retain color" [] {
    [ "auto" "always" "never" ]
  }

  # Keep the data of a volume, even if its claim is deleted
  export extern "kubectl-pvctl retain" [
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl retain dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl retain output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl retain kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl retain insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl retain disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl retain color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The volume: pv/NAME or `pv NAME`; pvc/NAME or `pvc NAME` means the volume of that claim
  ]

  def "nu-complete kubectl-pvctl release dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl release output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl release kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl release insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl release disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl release color" [] {
    [ "auto" "always" "never" ]
  }

  # Offer a Released volume again; by default only to a claim with the name of its last claim
  export extern "kubectl-pvctl release" [
    --reserve-for: string     # Reserve the volume for this claim instead of its last claim
    --to-anyone               # Offer the volume to any claim that fits, with all its data; you have to type the name of the volume
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl release dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl release output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl release kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl release insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl release disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl release color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The volume: pv/NAME or `pv NAME`
  ]

  def "nu-complete kubectl-pvctl unbind dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl unbind output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl unbind kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl unbind insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl unbind disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl unbind color" [] {
    [ "auto" "always" "never" ]
  }

  # Undo a binding that was never completed
  export extern "kubectl-pvctl unbind" [
    --reserve-for: string     # Reserve the volume for this claim instead of its last claim
    --to-anyone               # Offer the volume to any claim that fits, with all its data; you have to type the name of the volume
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl unbind dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl unbind output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl unbind kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl unbind insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl unbind disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl unbind color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The volume: pv/NAME or `pv NAME`
  ]

  def "nu-complete kubectl-pvctl reclaim dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl reclaim output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl reclaim kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl reclaim insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl reclaim disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl reclaim color" [] {
    [ "auto" "always" "never" ]
  }

  # Have the data of a volume deleted by the component that deletes them
  export extern "kubectl-pvctl reclaim" [
    --delete                  # Have a Retained volume deleted: its data will be gone. You have to type its name
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl reclaim dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl reclaim output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl reclaim kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl reclaim insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl reclaim disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl reclaim color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The volume: pv/NAME or `pv NAME`
  ]

  def "nu-complete kubectl-pvctl recreate dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl recreate output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl recreate kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl recreate insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl recreate disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl recreate color" [] {
    [ "auto" "always" "never" ]
  }

  # Replace a claim that was never bound with a corrected one
  export extern "kubectl-pvctl recreate" [
    --set: string             # What changes: class (or storageClassName), size, modes (with commas), volumeMode, name, volumeName, or selector=none. An empty class or volumeName means none. May be given several times
    --provisioner-stopped     # State that the provisioner of the claim is stopped, so it cannot be creating a volume now
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl recreate dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl recreate output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl recreate kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl recreate insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl recreate disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl recreate color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim: pvc/NAME or `pvc NAME`
  ]

  def "nu-complete kubectl-pvctl restore dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl restore output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl restore kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl restore insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl restore disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl restore color" [] {
    [ "auto" "always" "never" ]
  }

  # Give a claim its volume back after the claim became Lost or was deleted
  export extern "kubectl-pvctl restore" [
    --from: string            # The volume; needed if several volumes name the claim
    --provisioner-stopped     # State that the provisioner of the claim is stopped, so it cannot be creating a volume now
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl restore dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl restore output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl restore kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl restore insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl restore disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl restore color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim: pvc/NAME or `pvc NAME`; the claim may be deleted already
  ]

  def "nu-complete kubectl-pvctl rebind dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl rebind output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl rebind kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl rebind insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl rebind disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl rebind color" [] {
    [ "auto" "always" "never" ]
  }

  # Give a claim another volume
  export extern "kubectl-pvctl rebind" [
    --to: string              # The volume that the claim gets
    --provisioner-stopped     # State that the provisioner of the claim is stopped, so it cannot be creating a volume now
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl rebind dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl rebind output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl rebind kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl rebind insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl rebind disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl rebind color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim: pvc/NAME or `pvc NAME`
  ]

  def "nu-complete kubectl-pvctl move dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl move output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl move kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl move insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl move disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl move color" [] {
    [ "auto" "always" "never" ]
  }

  # Give the volume of a claim to a claim in another namespace
  export extern "kubectl-pvctl move" [
    --to-namespace: string    # The namespace of the new claim
    --name: string            # The name of the new claim; by default, the name of the old one
    --restore-policy          # Give the volume its old reclaim policy back at the end
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl move dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl move output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl move kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl move insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl move disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl move color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim: pvc/NAME or `pvc NAME`
  ]

  def "nu-complete kubectl-pvctl rename dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl rename output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl rename kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl rename insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl rename disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl rename color" [] {
    [ "auto" "always" "never" ]
  }

  # Give a claim another name
  export extern "kubectl-pvctl rename" [
    --restore-policy          # Give the volume its old reclaim policy back at the end
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl rename dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl rename output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl rename kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl rename insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl rename disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl rename color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim, and its new name: `pvc/NAME NEW` or `pvc NAME NEW`
  ]

  def "nu-complete kubectl-pvctl unfinalize dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl unfinalize output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl unfinalize kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl unfinalize insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl unfinalize disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl unfinalize color" [] {
    [ "auto" "always" "never" ]
  }

  # Remove one finalizer from a volume or claim whose deletion is stuck
  export extern "kubectl-pvctl unfinalize" [
    --protected               # State that the owner of the finalizer is gone; needed if the finalizer protects data or an attachment
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl unfinalize dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl unfinalize output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl unfinalize kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl unfinalize insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl unfinalize disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl unfinalize color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The volume or claim, and the finalizer: `TYPE/NAME FINALIZER` or `TYPE NAME FINALIZER`
  ]

  def "nu-complete kubectl-pvctl reschedule dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl reschedule output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl reschedule kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl reschedule insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl reschedule disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl reschedule color" [] {
    [ "auto" "always" "never" ]
  }

  # Give a claim back to the scheduler, if the node that was chosen for it does not exist any more
  export extern "kubectl-pvctl reschedule" [
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl reschedule dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl reschedule output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl reschedule kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl reschedule insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl reschedule disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl reschedule color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim: pvc/NAME or `pvc NAME`
  ]

  def "nu-complete kubectl-pvctl detach dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl detach output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl detach kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl detach insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl detach disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl detach color" [] {
    [ "auto" "always" "never" ]
  }

  # Have a volume detached from a node whose machine is off
  export extern "kubectl-pvctl detach" [
    --machine-off: string     # State that the machine of this node is off; without it, you have to type the name of the node
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl detach dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl detach output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl detach kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl detach insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl detach disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl detach color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The VolumeAttachment: va/NAME or `va NAME`
  ]

  def "nu-complete kubectl-pvctl reconnect dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl reconnect output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl reconnect kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl reconnect insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl reconnect disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl reconnect color" [] {
    [ "auto" "always" "never" ]
  }

  # Give the clients of a shared volume their server back, at the address that they use
  export extern "kubectl-pvctl reconnect" [
    --address: string         # The address that the clients use, if the volume does not record it
    --service: string         # The Service that the server has now, if nothing shows it; you have to type its name
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Also read the subdirectories of the directories
    --assume-complete: string # The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of continuing without it
    --dry-run: string@"nu-complete kubectl-pvctl reconnect dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl reconnect output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl reconnect kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl reconnect insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl reconnect disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl reconnect color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The volume: pv/NAME or `pv NAME`; pvc/NAME or `pvc NAME` means the volume of that claim
  ]

  def "nu-complete kubectl-pvctl apply dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl apply output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl apply kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl apply insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl apply disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl apply color" [] {
    [ "auto" "always" "never" ]
  }

  # Carry out a plan from a file, or continue a repair that stopped
  export extern "kubectl-pvctl apply" [
    --continue: string        # Continue a repair that stopped: the repair with this id, or the newest one
    --dry-run: string@"nu-complete kubectl-pvctl apply dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl apply output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl apply kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl apply insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl apply disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl apply color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    file?: path               # The file with the plan; `-` is stdin
  ]

  def "nu-complete kubectl-pvctl undo dry_run" [] {
    [ "none" "client" "server" ]
  }

  def "nu-complete kubectl-pvctl undo output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl undo kube_version" [] {
    [ "1.36" "1.35" "1.34" "1.33" "1.32" "1.31" "1.30" "1.29" "1.28" "1.14" ]
  }

  def "nu-complete kubectl-pvctl undo insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl undo disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl undo color" [] {
    [ "auto" "always" "never" ]
  }

  # Undo a repair, newest step first
  export extern "kubectl-pvctl undo" [
    --provisioner-stopped     # State that the provisioner of the claims that the repair created is stopped, so it cannot be creating a volume now
    --dry-run: string@"nu-complete kubectl-pvctl undo dry_run" # Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    --yes(-y)                 # Do not ask; if the plan asks for a name, give it with --confirm
    --confirm: string         # The name of the object, if the plan asks you to type it
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl undo output" # Print the plan for `apply`, in this format, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --kube-version: string@"nu-complete kubectl-pvctl undo kube_version" # The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl undo insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl undo disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl undo color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    id?: string               # The id of the repair, as `history` lists it; by default, the newest repair
  ]

  def "nu-complete kubectl-pvctl history output" [] {
    [ "table" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl history insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl history disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl history color" [] {
    [ "auto" "always" "never" ]
  }

  # List the repairs that were made from this machine, or the steps of one repair
  export extern "kubectl-pvctl history" [
    --output(-o): string@"nu-complete kubectl-pvctl history output" # How to print it
    --journal: directory      # The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl history insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl history disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl history color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    id?: string               # The id of the repair whose steps are shown
  ]

  def "nu-complete kubectl-pvctl version output" [] {
    [ "text" "json" "yaml" ]
  }

  def "nu-complete kubectl-pvctl version insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl version disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl version color" [] {
    [ "auto" "always" "never" ]
  }

  # Print the versions of pvctl, of the modelled Kubernetes, and of the cluster
  export extern "kubectl-pvctl version" [
    --client                  # Do not ask the cluster for its version
    --output(-o): string@"nu-complete kubectl-pvctl version output" # How to print it
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl version insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl version disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl version color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
  ]

  def "nu-complete kubectl-pvctl completion shell" [] {
    [ "bash" "zsh" "fish" "powershell" "elvish" "nushell" ]
  }

  def "nu-complete kubectl-pvctl completion insecure_skip_tls_verify" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl completion disable_compression" [] {
    [ "true" "false" ]
  }

  def "nu-complete kubectl-pvctl completion color" [] {
    [ "auto" "always" "never" ]
  }

  # Print the completion script of a shell
  export extern "kubectl-pvctl completion" [
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user name for basic authentication
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also with the same key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that sign the API server's certificate
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl completion insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl completion disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads all objects again
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl completion color" # When to use colour
    --v(-v): string           # Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    shell: string@"nu-complete kubectl-pvctl completion shell" # The shell
  ]

}

export use completions *

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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Find what is wrong, its root, and what to do
  export extern "kubectl-pvctl audit" [
    --all                     # Show every finding, also those that follow from another one
    --fail-on: string         # Exit with 1 when something is found that is at least as bad, or by one of these rules alone (`*` stands for any letters); `unknown` exits with 3 when a rule could not be judged, and with 1 on errors
    --exit-zero               # Exit with 0 whatever is found
    --baseline: path          # Show only what the report in this file does not have: what an earlier run printed with -o json
    --suppressions: path      # The file with what is known and kept back; .pvctl.yaml in the working directory, if there is one. Objects say it of themselves by the annotation pvctl.dev/ignore: RULE=REASON
    --rules: string           # Look with these rules alone; `*` stands for any letters
    --skip-rules: string      # Look with all rules but these
    --min-age: string         # Leave out problems that are younger than this, such as 90s, 10m, 2h or 7d; data at imminent risk are always shown
    --output(-o): string@"nu-complete kubectl-pvctl audit output" # How to print the answer; with =FILE into that file instead. May be given several times, once without a file
    --no-headers              # Leave out the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl audit kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims, which the controller still has in its cache. May be given several times
    --running: string         # An operation of the controller that still runs, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and waits before it is tried again, for example provision-db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; if it has more, the answer is only bounds for its outcomes
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl audit insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl audit disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl audit color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...objects: string        # The objects to look at, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
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

  # Explain why an object is as it is, and what to do
  export extern "kubectl-pvctl explain" [
    --recheck                 # Where the object differs from what is predicted, read it again after two resync periods (about 30 s): whether the controller acts. Not with -f
    --trace                   # Add the tests made on the way: the field, the two values, the result
    --output(-o): string@"nu-complete kubectl-pvctl explain output" # How to print the answer
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl explain kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims, which the controller still has in its cache. May be given several times
    --running: string         # An operation of the controller that still runs, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and waits before it is tried again, for example provision-db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; if it has more, the answer is only bounds for its outcomes
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl explain insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl explain disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl explain color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The objects, as kubectl names them: pod/NAME, pvc/NAME, sts/NAME, `pods NAME NAME`, or a type alone for all in scope
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

  # Go through what is wrong, and repair it
  export extern "kubectl-pvctl fix" [
    --all                     # Every object in scope, for use with --yes
    --only: string            # Only what these rules find; `*` stands for any letters
    --dry-run: string@"nu-complete kubectl-pvctl fix dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl fix output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl fix kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl fix insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl fix disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl fix color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...objects: string        # The objects: pvc/NAME or pv/NAME; without one, what is in scope
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

  # Predict what will become of volumes and claims
  export extern "kubectl-pvctl predict" [
    --changed                 # Show only what will change
    --stuck                   # Show only objects with a problem that a person has to look at, and the cause; reads what `audit` reads
    --diagnosis               # Add the diagnosis that `explain` makes to each object of -o json and yaml; reads what `audit` reads
    --pods                    # Show also the pods that use claims: the node of each, or why it gets none; the scheduler takes part then
    --actors: string          # Who acts besides the controllers: scheduler, `*` for all, or none; reads all pods and nodes
    --exit-code               # Exit with 1 when a change is predicted
    --trace                   # Add the tests made on the way: the field, the two values, the result
    --contexts: string        # Ask the clusters of these kubeconfig contexts, or of `all`: a section for each, and a summary
    --output(-o): string@"nu-complete kubectl-pvctl predict output" # How to print the answer
    --no-headers              # Leave out the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl predict kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims, which the controller still has in its cache. May be given several times
    --running: string         # An operation of the controller that still runs, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and waits before it is tried again, for example provision-db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; if it has more, the answer is only bounds for its outcomes
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl predict insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl predict disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl predict color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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
    --claim: path             # A file with the claim that is planned; `-` is stdin
    --node: string            # Search as kube-scheduler does for a pod on this node that uses only this claim (plugin `VolumeBinding`; other plugins are not asked)
    --output(-o): string@"nu-complete kubectl-pvctl match output" # How to print the answer
    --no-headers              # Leave out the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl match kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --stale: path             # A file with older versions of volumes and claims, which the controller still has in its cache. May be given several times
    --running: string         # An operation of the controller that still runs, for example delete-pv-1. May be given several times
    --backoff: string         # An operation of the controller that failed and waits before it is tried again, for example provision-db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; the rest of the answer does not depend on this number
    --outcomes: string        # How many outcomes to list for each object; the rest of the answer does not depend on this number
    --budget: string          # How many states to explore for each component; if it has more, the answer is only bounds for its outcomes
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl match insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl match disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl match color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim, as kubectl names it: pvc/NAME or `pvc NAME`
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl rules insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl rules disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl rules color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    id?: string               # The rule to explain; without one all are listed
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

  # Print what was read, with credentials removed, for use with -f
  export extern "kubectl-pvctl snapshot" [
    --output(-o): string@"nu-complete kubectl-pvctl snapshot output" # How to print it
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl snapshot insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl snapshot disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl snapshot color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Keep the data of a volume, whatever happens to its claim
  export extern "kubectl-pvctl retain" [
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl retain dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl retain output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl retain kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl retain insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl retain disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl retain color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Offer a Released volume again, to its last claim's name alone unless told otherwise
  export extern "kubectl-pvctl release" [
    --reserve-for: string     # Reserve it for the claim of this name instead of its last one
    --to-anyone               # Offer it to whoever comes first, with all that is on it; the name of the volume has to be typed
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl release dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl release output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl release kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl release insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl release disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl release color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Roll back a binding that was never finished
  export extern "kubectl-pvctl unbind" [
    --reserve-for: string     # Reserve it for the claim of this name instead of its last one
    --to-anyone               # Offer it to whoever comes first, with all that is on it; the name of the volume has to be typed
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl unbind dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl unbind output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl unbind kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl unbind insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl unbind disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl unbind color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Have the data of a volume deleted by whoever deletes them
  export extern "kubectl-pvctl reclaim" [
    --delete                  # Hand a volume that is kept to deletion: its data will be gone. Its name has to be typed
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl reclaim dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl reclaim output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl reclaim kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl reclaim insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl reclaim disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl reclaim color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Replace a claim that never bound by a right one
  export extern "kubectl-pvctl recreate" [
    --set: string             # What is other than it was: class (or storageClassName), size, modes (with commas), volumeMode, name, volumeName, or selector=none. An empty class or volumeName means none. May be given several times
    --provisioner-stopped     # Say that no provisioner is at work on the claim, because it is stopped
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl recreate dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl recreate output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl recreate kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl recreate insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl recreate disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl recreate color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Give a claim that is Lost, or was deleted, exactly its volume back
  export extern "kubectl-pvctl restore" [
    --from: string            # The volume, where several name the claim
    --provisioner-stopped     # Say that no provisioner is at work on the claim, because it is stopped
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl restore dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl restore output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl restore kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl restore insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl restore disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl restore color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim: pvc/NAME or `pvc NAME`; it need not exist any more
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
    --to: string              # The volume that it gets
    --provisioner-stopped     # Say that no provisioner is at work on the claim, because it is stopped
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl rebind dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl rebind output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl rebind kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl rebind insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl rebind disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl rebind color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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
    --name: string            # The name of the new claim; the same if not given
    --restore-policy          # Give the volume its reclaim policy back in the end
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl move dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl move output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl move kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl move insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl move disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl move color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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
    --restore-policy          # Give the volume its reclaim policy back in the end
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl rename dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl rename output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl rename kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl rename insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl rename disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl rename color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Take one finalizer from a volume or claim that is stuck in its deletion
  export extern "kubectl-pvctl unfinalize" [
    --protected               # Say that the owner of a finalizer that protects data or an attachment is gone
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # The files hold all objects of these kinds; without a value, all volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what depends on an object that is not in them is unknown
    --now: string             # The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --dry-run: string@"nu-complete kubectl-pvctl unfinalize dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl unfinalize output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl unfinalize kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl unfinalize insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl unfinalize disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl unfinalize color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The volume or claim, and the finalizer: `TYPE/NAME FINALIZER` or `TYPE NAME FINALIZER`
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

  # Carry out a plan from a file, or go on with a repair that stopped
  export extern "kubectl-pvctl apply" [
    --continue: string        # Go on with a repair that stopped: the one with this id, or the newest
    --dry-run: string@"nu-complete kubectl-pvctl apply dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl apply output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl apply kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl apply insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl apply disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl apply color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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

  # Take a repair back, newest step first
  export extern "kubectl-pvctl undo" [
    --provisioner-stopped     # Say that no provisioner is at work on the claims that the repair created, because it is stopped
    --dry-run: string@"nu-complete kubectl-pvctl undo dry_run" # Write nothing: `client` shows the plan, `server` has the API server try each write as well
    --yes(-y)                 # Do it without asking; where a name has to be typed, --confirm types it
    --confirm: string         # The name that the plan asks for where data are given away or deleted
    --diff                    # Show what each step changes, field by field
    --output(-o): string@"nu-complete kubectl-pvctl undo output" # Print the plan as data for `apply`, and write nothing
    --timeout: string         # How long each step may wait for the controllers, for example 30s or 5m
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --kube-version: string@"nu-complete kubectl-pvctl undo kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl undo insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl undo disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl undo color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    id?: string               # The id of the repair, as `history` lists it; the newest if not given
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

  # List the repairs that were made from here, or the steps of one
  export extern "kubectl-pvctl history" [
    --output(-o): string@"nu-complete kubectl-pvctl history output" # How to print it
    --journal: directory      # The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    --namespace(-n): string   # Show the objects of this namespace, and the volumes that belong to its claims
    --all-namespaces(-A)      # Show the objects of all namespaces
    --selector(-l): string    # Show the objects whose labels match, for example `app=db,tier!=cache`
    --kubeconfig: path        # The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    --context: string         # The kubeconfig context to use
    --cluster: string         # The kubeconfig cluster to use
    --user: string            # The kubeconfig user to use
    --server(-s): string      # The address of the API server
    --token: string           # The bearer token to authenticate with
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl history insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl history disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl history color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    id?: string               # The id of a repair, to show its steps
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

  # Print the versions of pvctl, of the Kubernetes that is modelled, and of the cluster's
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl version insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl version disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl version color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
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
    --username: string        # The user to authenticate with by name and password
    --password: string        # The password of --username
    --as: string              # The user to act as
    --as-group: string        # A group to act as; may be given several times
    --as-uid: string          # The uid to act as
    --as-user-extra: string   # An extra property of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl completion insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl completion disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; every message is written immediately
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl completion color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    shell: string@"nu-complete kubectl-pvctl completion shell" # The shell
  ]

}

export use completions *

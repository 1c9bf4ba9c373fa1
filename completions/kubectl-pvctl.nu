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

  # Predict and explain what Kubernetes does with PersistentVolumes and PersistentVolumeClaims
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
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
    --exit-code               # Exit with 1 when a change is predicted
    --trace                   # Add the tests made on the way: the field, the two values, the result
    --contexts: string        # Ask the clusters of these kubeconfig contexts, or of `all`: a section for each, and a summary
    --output(-o): string@"nu-complete kubectl-pvctl predict output" # How to print the answer
    --no-headers              # Leave out the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what rests on their absence is unknown
    --now: string             # The time from which ages count, in RFC 3339; for files the newest time in them if not given
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl predict kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; what is said of it does not depend on that
    --outcomes: string        # How many outcomes to list for each object; what is said of it does not depend on that
    --budget: string          # How many states to explore for each component before going over to bounds
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl predict insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl predict disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl predict color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...objects: string        # The objects to predict, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
  ]

  def "nu-complete kubectl-pvctl explain output" [] {
    [ "text" "json" "yaml" ]
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
    --assume-complete: string # What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what rests on their absence is unknown
    --now: string             # The time from which ages count, in RFC 3339; for files the newest time in them if not given
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl explain kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; what is said of it does not depend on that
    --outcomes: string        # How many outcomes to list for each object; what is said of it does not depend on that
    --budget: string          # How many states to explore for each component before going over to bounds
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl explain insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl explain disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl explain color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The object, as kubectl names it: pvc/NAME, pv/NAME, sc/NAME or TYPE NAME
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
    --output(-o): string@"nu-complete kubectl-pvctl match output" # How to print the answer
    --no-headers              # Leave out the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what rests on their absence is unknown
    --now: string             # The time from which ages count, in RFC 3339; for files the newest time in them if not given
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl match kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; what is said of it does not depend on that
    --outcomes: string        # How many outcomes to list for each object; what is said of it does not depend on that
    --budget: string          # How many states to explore for each component before going over to bounds
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl match insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl match disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl match color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    ...object: string         # The claim, as kubectl names it: pvc/NAME or `pvc NAME`
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
    --min-age: string         # Leave out what has been so for a shorter time, such as 90s, 10m, 2h or 7d; data at imminent risk are shown all the same
    --output(-o): string@"nu-complete kubectl-pvctl audit output" # How to print the answer
    --no-headers              # Leave out the line with the names of the columns
    --sort-by: string         # Sort by this column, for example NAME or AGE
    --filename(-f): path      # Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    --recursive(-R)           # Read directories with all that is below them
    --assume-complete: string # What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what rests on their absence is unknown
    --now: string             # The time from which ages count, in RFC 3339; for files the newest time in them if not given
    --strict                  # Stop at the first object that cannot be decoded, instead of judging the rest
    --kube-version: string@"nu-complete kubectl-pvctl audit kube_version" # The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36
    --feature-gates: string   # Feature gates that differ from the defaults of the version
    --controller-flag: string # A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    --controllers: string     # The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    --unseen: string          # An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times
    --failures                # Let requests fail, the controller crash inside a sync, and its caches lag
    --decisions: string       # How many decisions to list for each object; what is said of it does not depend on that
    --outcomes: string        # How many outcomes to list for each object; what is said of it does not depend on that
    --budget: string          # How many states to explore for each component before going over to bounds
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl audit insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl audit disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl audit color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl rules insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl rules disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
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
    --assume-complete: string # What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes
    --partial: string         # The files do not hold all objects of these kinds; what rests on their absence is unknown
    --now: string             # The time from which ages count, in RFC 3339; for files the newest time in them if not given
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl snapshot insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl snapshot disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl snapshot color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl version insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl version disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
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
    --as-user-extra: string   # Something more to say of the user to act as; may be given several times, also for one key
    --request-timeout: string # How long one request may take, for example 30s or 2m; 0 means no limit
    --certificate-authority: path # The file with the certificates of the authorities that vouch for the API server
    --client-certificate: path # The file with the client certificate for TLS
    --client-key: path        # The file with the client key for TLS
    --insecure-skip-tls-verify: string@"nu-complete kubectl-pvctl completion insecure_skip_tls_verify" # Do not check the API server's certificate; the connection is then not secure
    --tls-server-name: string # The name to expect in the API server's certificate
    --disable-compression: string@"nu-complete kubectl-pvctl completion disable_compression" # Do not ask the API server for compressed answers
    --cache-dir: directory    # Accepted because kubectl has it; nothing is cached, every run reads the world anew
    --log-flush-frequency: string # Accepted because kubectl has it; nothing that is said waits to be written
    --chunk-size: string      # How many objects to ask for at a time; 0 asks for all at once
    --color: string@"nu-complete kubectl-pvctl completion color" # When to use colour
    --v(-v): string           # Say more on stderr; from 6 on every request to the API server, with tokens hidden
    --help(-h)                # Print help (see more with '--help')
    shell: string@"nu-complete kubectl-pvctl completion shell" # The shell
  ]

}

export use completions *

# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_pvctl_global_optspecs
    string join \n n/namespace= A/all-namespaces l/selector= kubeconfig= context= cluster= user= s/server= token= username= password= as= as-group= as-uid= as-user-extra= request-timeout= certificate-authority= client-certificate= client-key= insecure-skip-tls-verify= tls-server-name= disable-compression= cache-dir= log-flush-frequency= chunk-size= color= v/v= h/help V/version
end

function __fish_kubectl_pvctl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_pvctl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_pvctl_using_subcommand
    set -l cmd (__fish_kubectl_pvctl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "audit" -d 'Find what is wrong, the root of it, and what to do'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "explain" -d 'Explain why an object has its state, and what to do'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "fix" -d 'Show what is wrong, and repair it step by step'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "predict" -d 'Predict what will happen to volumes and claims'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "match" -d 'Show which volumes fit a claim, and why the others do not'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "shared" -d 'List the volumes that a server in the cluster serves to many pods'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "rules" -d 'List the rules of audit, or explain one'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "snapshot" -d 'Print all objects that were read, without credentials, for use with -f'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "retain" -d 'Keep the data of a volume, even if its claim is deleted'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "release" -d 'Offer a Released volume again; by default only to a claim with the name of its last claim'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "unbind" -d 'Undo a binding that was never completed'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "reclaim" -d 'Have the data of a volume deleted by the component that deletes them'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "recreate" -d 'Replace a claim that was never bound with a corrected one'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "restore" -d 'Give a claim its volume back after the claim became Lost or was deleted'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "rebind" -d 'Give a claim another volume'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "move" -d 'Give the volume of a claim to a claim in another namespace'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "rename" -d 'Give a claim another name'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "unfinalize" -d 'Remove one finalizer from a volume or claim whose deletion is stuck'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "reschedule" -d 'Give a claim back to the scheduler, if the node that was chosen for it does not exist any more'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "detach" -d 'Have a volume detached from a node whose machine is off'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "reconnect" -d 'Give the clients of a shared volume their server back, at the address that they use'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "apply" -d 'Carry out a plan from a file, or continue a repair that stopped'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "undo" -d 'Undo a repair, newest step first'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "history" -d 'List the repairs that were made from this machine, or the steps of one repair'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "version" -d 'Print the versions of pvctl, of the modelled Kubernetes, and of the cluster'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "completion" -d 'Print the completion script of a shell'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l fail-on -d 'Exit with 1 on findings of this severity or worse. If only rules are named, exit with 1 only on their findings (`*` stands for any letters). `unknown` exits with 3 if a rule was not judged, and with 1 on errors' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l baseline -d 'Show only findings that are not in this file, the output of an earlier audit with -o json' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l suppressions -d 'The file with the suppressions; by default .pvctl.yaml in the working directory, if it exists. An object can also have a suppression in the annotation pvctl.dev/ignore: RULE=REASON' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l rules -d 'Apply only these rules; `*` stands for any letters' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l skip-rules -d 'Apply all rules except these' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l min-age -d 'Hide findings that are younger than this, such as 90s, 10m, 2h or 7d; findings with an imminent risk to data are always shown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s o -l output -d 'How to print the answer; with =FILE, it is written to that file. May be given several times, once without a file' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''
sarif\t''
junit\t''
markdown\t''
github\t''
prometheus\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l sort-by -d 'Sort by this column, for example NAME or AGE' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l controllers -d 'The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l unseen -d 'An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l stale -d 'A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l running -d 'An operation of the controller that is still running, for example delete-pv-1. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l backoff -d 'An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l decisions -d 'How many decisions to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l outcomes -d 'How many outcomes to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l budget -d 'How many states to explore for each component; for a larger component, the answer gives only bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l all -d 'Show every finding, also those that follow from another one'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l exit-zero -d 'Exit with 0 even if there are findings'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l no-headers -d 'Do not print the line with the names of the columns'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l failures -d 'Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l log -d 'Read this piece of a log of kube-controller-manager or of a kubelet, or stdin with `-`, and say which controller wrote each line, in which function, and at which leaf. With OBJECT or -n, show only the syncs that concern these objects. No cluster is read' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l actors -d 'Who acts besides the controllers: scheduler, drivers, recycler, attacher (with predict --attachments), `*` for all, or none. If somebody acts, all pods and nodes are read. Without this flag, the scheduler acts only if files have a waiting pod and everything that the scheduler reads' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s o -l output -d 'How to print the answer' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l controllers -d 'The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l unseen -d 'An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l stale -d 'A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l running -d 'An operation of the controller that is still running, for example delete-pv-1. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l backoff -d 'An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l decisions -d 'How many decisions to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l outcomes -d 'How many outcomes to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l budget -d 'How many states to explore for each component; for a larger component, the answer gives only bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l recheck -d 'If the object differs from its prediction, read it again after two resync periods (about 30 s), to see whether the controller acts. Cannot be combined with -f'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l trace -d 'Show each test of a decision: the field, the two values, the result; and what the controller logs at `-v=5`'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l failures -d 'Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l only -d 'Only the findings of these rules; `*` stands for any letters' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l all -d 'Every object in scope, for use with --yes'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand fix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l actors -d 'Who acts besides the controllers: scheduler, drivers, recycler, attacher (with predict --attachments), `*` for all, or none. If somebody acts, all pods and nodes are read. Without this flag, the scheduler acts only if files have a waiting pod and everything that the scheduler reads' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l contexts -d 'Ask the clusters of these kubeconfig contexts, or of `all`; prints a section for each, and a summary' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s o -l output -d 'How to print the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l sort-by -d 'Sort by this column, for example NAME or AGE' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l controllers -d 'The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l unseen -d 'An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l stale -d 'A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l running -d 'An operation of the controller that is still running, for example delete-pv-1. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l backoff -d 'An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l decisions -d 'How many decisions to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l outcomes -d 'How many outcomes to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l budget -d 'How many states to explore for each component; for a larger component, the answer gives only bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l changed -d 'Show only what may change'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l stuck -d 'Show only objects with a problem that a person has to solve, and the cause; reads the same objects as `audit`'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l diagnosis -d 'Add the diagnosis of `explain` to each object of -o json and yaml; reads the same objects as `audit`'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l pods -d 'Show also the pods that use claims: the node of each, or why it gets none; without --actors, the scheduler takes part then'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l attachments -d 'Show also how the attachments of volumes to nodes end; without --actors, the attachers of the drivers act then'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l exit-code -d 'Exit with 1 if a change is predicted'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l trace -d 'Show each test of a decision: the field, the two values, the result'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l no-headers -d 'Do not print the line with the names of the columns'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l failures -d 'Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l claim -d 'A file with a claim that does not exist yet; `-` is stdin' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l node -d 'Search like kube-scheduler for a pod on this node that uses only this claim (plugin `VolumeBinding`; the other plugins are left out)' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s o -l output -d 'How to print the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l sort-by -d 'Sort by this column, for example NAME or AGE' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l controllers -d 'The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l unseen -d 'An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l stale -d 'A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l running -d 'An operation of the controller that is still running, for example delete-pv-1. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l backoff -d 'An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l decisions -d 'How many decisions to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l outcomes -d 'How many outcomes to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l budget -d 'How many states to explore for each component; for a larger component, the answer gives only bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l no-headers -d 'Do not print the line with the names of the columns'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l failures -d 'Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l provider-state -d 'A file with what the storage system itself says about its volumes, as JSON or YAML; `-` is stdin' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s o -l output -d 'How to print the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l sort-by -d 'Sort by this column, for example NAME or AGE' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l controllers -d 'The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l unseen -d 'An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l stale -d 'A file with older versions of volumes and claims. The controller still has these versions in its cache. If the object does not exist any more, the controller has not handled its deletion yet. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l running -d 'An operation of the controller that is still running, for example delete-pv-1. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l backoff -d 'An operation of the controller that failed and is in backoff before the next try, for example provision-db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l decisions -d 'How many decisions to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l outcomes -d 'How many outcomes to list for each object; the rest of the answer does not depend on this number' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l budget -d 'How many states to explore for each component; for a larger component, the answer gives only bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l no-headers -d 'Do not print the line with the names of the columns'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -l failures -d 'Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand shared" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s o -l output -d 'How to print the answer' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s o -l output -d 'How to print it' -r -f -a "json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand retain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l reserve-for -d 'Reserve the volume for this claim instead of its last claim' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l to-anyone -d 'Offer the volume to any claim that fits, with all its data; you have to type the name of the volume'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand release" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l reserve-for -d 'Reserve the volume for this claim instead of its last claim' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l to-anyone -d 'Offer the volume to any claim that fits, with all its data; you have to type the name of the volume'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unbind" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l delete -d 'Have a Retained volume deleted: its data will be gone. You have to type its name'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reclaim" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l set -d 'What changes: class (or storageClassName), size, modes (with commas), volumeMode, name, volumeName, or selector=none. An empty class or volumeName means none. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l provisioner-stopped -d 'State that the provisioner of the claim is stopped, so it cannot be creating a volume now'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand recreate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l from -d 'The volume; needed if several volumes name the claim' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l provisioner-stopped -d 'State that the provisioner of the claim is stopped, so it cannot be creating a volume now'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l to -d 'The volume that the claim gets' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l provisioner-stopped -d 'State that the provisioner of the claim is stopped, so it cannot be creating a volume now'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rebind" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l to-namespace -d 'The namespace of the new claim' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l name -d 'The name of the new claim; by default, the name of the old one' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l restore-policy -d 'Give the volume its old reclaim policy back at the end'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand move" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l restore-policy -d 'Give the volume its old reclaim policy back at the end'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rename" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l protected -d 'State that the owner of the finalizer is gone; needed if the finalizer protects data or an attachment'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand unfinalize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reschedule" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l machine-off -d 'State that the machine of this node is off; without it, you have to type the name of the node' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand detach" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l address -d 'The address that the clients use, if the volume does not record it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l service -d 'The Service that the server has now, if nothing shows it; you have to type its name' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l assume-complete -d 'The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l partial -d 'The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l now -d 'The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s R -l recursive -d 'Also read the subdirectories of the directories'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l strict -d 'Stop at the first object that cannot be decoded, instead of continuing without it'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand reconnect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l continue -d 'Continue a repair that stopped: the repair with this id, or the newest one' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l dry-run -d 'Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run' -r -f -a "none\t'The plan is carried out'
client\t'The plan is made, reviewed and shown'
server\t'The plan is also sent to the API server in dry run. The API server checks each write and stores none'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l confirm -d 'The name of the object, if the plan asks you to type it' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s o -l output -d 'Print the plan for `apply`, in this format, and write nothing' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l timeout -d 'How long each step may wait for the controllers, for example 30s or 5m' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l kube-version -d 'The Kubernetes minor version to model: 1.14 or 1.28 to 1.36; by default that of the cluster or snapshot, else 1.36' -r -f -a "1.36\t''
1.35\t''
1.34\t''
1.33\t''
1.32\t''
1.31\t''
1.30\t''
1.29\t''
1.28\t''
1.14\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l feature-gates -d 'Feature gates that differ from the defaults of the version' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l controller-flag -d 'A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l provisioner-stopped -d 'State that the provisioner of the claims that the repair created is stopped, so it cannot be creating a volume now'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s y -l yes -d 'Do not ask; if the plan asks for a name, give it with --confirm'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -l diff -d 'Show what each step changes, field by field'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -s o -l output -d 'How to print it' -r -f -a "table\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l journal -d 'The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s o -l output -d 'How to print it' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l client -d 'Do not ask the cluster for its version'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l username -d 'The user name for basic authentication' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as-user-extra -d 'An extra property of the user to act as; may be given several times, also with the same key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l certificate-authority -d 'The file with the certificates of the authorities that sign the API server\'s certificate' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads all objects again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l log-flush-frequency -d 'Accepted because kubectl has it; every message is written immediately' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else'
always\t'Always, even if the output is a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s v -l v -d 'Print more on stderr; from 6, every request to the API server is printed, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s h -l help -d 'Print help (see more with \'--help\')'

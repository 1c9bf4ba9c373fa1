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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "predict" -d 'Predict what will become of volumes and claims'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "explain" -d 'Explain why an object is as it is, and what to do'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "match" -d 'Show which volumes fit a claim, and why the others do not'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "audit" -d 'Find what is wrong, its root, and what to do'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "rules" -d 'List the rules of audit, or explain one'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "snapshot" -d 'Print what was read, with credentials removed, for use with -f'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "version" -d 'Print the versions of pvctl, of the Kubernetes that is modelled, and of the cluster\'s'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_needs_command" -f -a "completion" -d 'Print the completion script of a shell'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l contexts -d 'Ask the clusters of these kubeconfig contexts, or of `all`: a section for each, and a summary' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s o -l output -d 'How to print the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l sort-by -d 'Sort by this column, for example NAME or AGE' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l assume-complete -d 'What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l partial -d 'The files do not hold all objects of these kinds; what rests on their absence is unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l now -d 'The time from which ages count, in RFC 3339; for files the newest time in them if not given' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l kube-version -d 'The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36' -r -f -a "1.36\t''
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l controllers -d 'The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l unseen -d 'An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l decisions -d 'How many decisions to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l outcomes -d 'How many outcomes to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l budget -d 'How many states to explore for each component before going over to bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l changed -d 'Show only what will change'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l exit-code -d 'Exit with 1 when a change is predicted'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l trace -d 'Add the tests made on the way: the field, the two values, the result'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l no-headers -d 'Leave out the line with the names of the columns'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s R -l recursive -d 'Read directories with all that is below them'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l strict -d 'Stop at the first object that cannot be decoded, instead of judging the rest'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -l failures -d 'Let requests fail, the controller crash inside a sync, and its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand predict" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s o -l output -d 'How to print the answer' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l assume-complete -d 'What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l partial -d 'The files do not hold all objects of these kinds; what rests on their absence is unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l now -d 'The time from which ages count, in RFC 3339; for files the newest time in them if not given' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l kube-version -d 'The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36' -r -f -a "1.36\t''
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l controllers -d 'The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l unseen -d 'An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l decisions -d 'How many decisions to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l outcomes -d 'How many outcomes to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l budget -d 'How many states to explore for each component before going over to bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l recheck -d 'Where the object differs from what is predicted, read it again after two resync periods (about 30 s): whether the controller acts. Not with -f'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l trace -d 'Add the tests made on the way: the field, the two values, the result'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s R -l recursive -d 'Read directories with all that is below them'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l strict -d 'Stop at the first object that cannot be decoded, instead of judging the rest'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -l failures -d 'Let requests fail, the controller crash inside a sync, and its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l claim -d 'A file with the claim that is planned; `-` is stdin' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s o -l output -d 'How to print the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l sort-by -d 'Sort by this column, for example NAME or AGE' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l assume-complete -d 'What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l partial -d 'The files do not hold all objects of these kinds; what rests on their absence is unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l now -d 'The time from which ages count, in RFC 3339; for files the newest time in them if not given' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l kube-version -d 'The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36' -r -f -a "1.36\t''
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l controllers -d 'The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l unseen -d 'An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l decisions -d 'How many decisions to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l outcomes -d 'How many outcomes to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l budget -d 'How many states to explore for each component before going over to bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l no-headers -d 'Leave out the line with the names of the columns'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s R -l recursive -d 'Read directories with all that is below them'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l strict -d 'Stop at the first object that cannot be decoded, instead of judging the rest'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -l failures -d 'Let requests fail, the controller crash inside a sync, and its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand match" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l fail-on -d 'Exit with 1 when something is found that is at least as bad, or by one of these rules alone (`*` stands for any letters); `unknown` exits with 3 when a rule could not be judged, and with 1 on errors' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l baseline -d 'Show only what the report in this file does not have: what an earlier run printed with -o json' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l suppressions -d 'The file with what is known and kept back; .pvctl.yaml in the working directory, if there is one. Objects say it of themselves by the annotation pvctl.dev/ignore: RULE=REASON' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l rules -d 'Look with these rules alone; `*` stands for any letters' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l skip-rules -d 'Look with all rules but these' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l min-age -d 'Leave out what has been so for a shorter time, such as 90s, 10m, 2h or 7d; data at imminent risk are shown all the same' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s o -l output -d 'How to print the answer' -r -f -a "table\t''
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l assume-complete -d 'What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l partial -d 'The files do not hold all objects of these kinds; what rests on their absence is unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l now -d 'The time from which ages count, in RFC 3339; for files the newest time in them if not given' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l kube-version -d 'The Kubernetes minor to model: 1.14 or 1.28 to 1.36; detected on a cluster, stated by a snapshot, else 1.36' -r -f -a "1.36\t''
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l controllers -d 'The controllers that take part, in the syntax of kube-controller-manager: `*`, NAME, -NAME' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l unseen -d 'An object that the controller has not in its cache yet, for example pvc/db/data-0. May be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l decisions -d 'How many decisions to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l outcomes -d 'How many outcomes to list for each object; what is said of it does not depend on that' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l budget -d 'How many states to explore for each component before going over to bounds' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l all -d 'Show every finding, also those that follow from another one'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l exit-zero -d 'Exit with 0 whatever is found'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l no-headers -d 'Leave out the line with the names of the columns'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s R -l recursive -d 'Read directories with all that is below them'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l strict -d 'Stop at the first object that cannot be decoded, instead of judging the rest'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -l failures -d 'Let requests fail, the controller crash inside a sync, and its caches lag'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand audit" -s h -l help -d 'Print help (see more with \'--help\')'
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s o -l output -d 'How to print it' -r -f -a "json\t''
yaml\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s f -l filename -d 'Read this file or directory instead of a cluster; `-` is stdin. May be given several times' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l assume-complete -d 'What the files hold is all there is: of these kinds, or of volumes, claims, classes, pods and nodes' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l partial -d 'The files do not hold all objects of these kinds; what rests on their absence is unknown' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l now -d 'The time from which ages count, in RFC 3339; for files the newest time in them if not given' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s n -l namespace -d 'Show the objects of this namespace, and the volumes that belong to its claims' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s l -l selector -d 'Show the objects whose labels match, for example `app=db,tier!=cache`' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l kubeconfig -d 'The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s s -l server -d 'The address of the API server' -r -f
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l token -d 'The bearer token to authenticate with' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s R -l recursive -d 'Read directories with all that is below them'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -l strict -d 'Stop at the first object that cannot be decoded, instead of judging the rest'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand snapshot" -s h -l help -d 'Print help (see more with \'--help\')'
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand version" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
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
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l username -d 'The user to authenticate with by name and password' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l password -d 'The password of --username' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as -d 'The user to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as-group -d 'A group to act as; may be given several times' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as-uid -d 'The uid to act as' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l as-user-extra -d 'Something more to say of the user to act as; may be given several times, also for one key' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l request-timeout -d 'How long one request may take, for example 30s or 2m; 0 means no limit' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l certificate-authority -d 'The file with the certificates of the authorities that vouch for the API server' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l client-certificate -d 'The file with the client certificate for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l client-key -d 'The file with the client key for TLS' -r -F
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l insecure-skip-tls-verify -d 'Do not check the API server\'s certificate; the connection is then not secure' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l tls-server-name -d 'The name to expect in the API server\'s certificate' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l disable-compression -d 'Do not ask the API server for compressed answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l cache-dir -d 'Accepted because kubectl has it; nothing is cached, every run reads the world anew' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l log-flush-frequency -d 'Accepted because kubectl has it; nothing that is said waits to be written' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l chunk-size -d 'How many objects to ask for at a time; 0 asks for all at once' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb)'
always\t'Always, also into a pipe'
never\t'Never'"
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s v -l v -d 'Say more on stderr; from 6 on every request to the API server, with tokens hidden' -r
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s A -l all-namespaces -d 'Show the objects of all namespaces'
complete -c kubectl-pvctl -n "__fish_kubectl_pvctl_using_subcommand completion" -s h -l help -d 'Print help (see more with \'--help\')'

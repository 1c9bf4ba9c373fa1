package worlds

// The domains are small on purpose. Objects whose values come from the same few values are often related, and most
// rules of the controllers concern two related objects. A value that is listed more than once is chosen more often.

const (
	annBindCompleted      = "pv.kubernetes.io/bind-completed"
	annBoundByController  = "pv.kubernetes.io/bound-by-controller"
	annProvisionedBy      = "pv.kubernetes.io/provisioned-by"
	annMigratedTo         = "pv.kubernetes.io/migrated-to"
	annSelectedNode       = "volume.kubernetes.io/selected-node"
	annProvisioner        = "volume.kubernetes.io/storage-provisioner"
	annBetaProvisioner    = "volume.beta.kubernetes.io/storage-provisioner"
	annBetaClass          = "volume.beta.kubernetes.io/storage-class"
	annPreResize          = "volume.alpha.kubernetes.io/pre-resize-capacity"
	annGid                = "pv.beta.kubernetes.io/gid"
	annMountOptions       = "volume.beta.kubernetes.io/mount-options"
	annResizer            = "volume.kubernetes.io/storage-resizer"
	annCreatedBy          = "kubernetes.io/createdby"
	annDefaultClass       = "storageclass.kubernetes.io/is-default-class"
	annBetaDefaultClass   = "storageclass.beta.kubernetes.io/is-default-class"
	finClaimProtection    = "kubernetes.io/pvc-protection"
	finVolumeProtection   = "kubernetes.io/pv-protection"
	finVolumeController   = "kubernetes.io/pv-controller"
	finExternal           = "external-provisioner.volume.kubernetes.io/finalizer"
	finForeign            = "example.com/hold"
	finAttacher           = "external-attacher/csi-example-com"
	finSnapshot           = "snapshot.storage.kubernetes.io/pvc-as-source-protection"
	driverName            = "csi.example.com"
	hostPathName          = "kubernetes.io/host-path"
	noProvisionerName     = "kubernetes.io/no-provisioner"
	missingClass          = "missing"
	missingNode           = "n9"
	missingVolume         = "pv-9"
	staleUID              = "dead0000-0000-4000-8000-000000000001"
	foreignUID            = "f0e10000-0000-4000-8000-000000000001"
	modeFilesystem        = "Filesystem"
	modeBlock             = "Block"
	bindingImmediate      = "Immediate"
	bindingDelayed        = "WaitForFirstConsumer"
	terminatingSince      = "2026-06-05T10:00:00Z"
	phaseChanged          = "2026-06-04T10:00:00Z"
	podStarted            = "2026-06-05T09:00:00Z"
	firstResourceVersion  = 1001
	internalErrorText     = "the request did not reach the storage of the API server"
	ephemeralVolumeName   = "e"
	ephemeralClaimName    = "p1-e"
	ephemeralClaimPodName = "p1"
)

// sizes are families of quantities. The members of one family have the same exact value in different notations.
var sizes = map[string][]string{
	"1Gi":   {"1Gi", "1Gi", "1Gi", "1Gi", "1024Mi", "1048576Ki", "1073741824", "1.0Gi", "1073741824000m"},
	"2Gi":   {"2Gi", "2Gi", "2Gi", "2048Mi", "2147483648", "2.0Gi"},
	"3Gi":   {"3Gi", "3Gi", "3072Mi", "3221225472"},
	"1G":    {"1G", "1G", "1e9", "1E9", "1000M", "1000000k", "1000000000"},
	"512Mi": {"512Mi", "512Mi", "0.5Gi", "524288Ki", "536870912"},
	"2":     {"2", "2000m", "2e0"},
	"1.5":   {"1500m", "1.5"},
	// The following numbers do not fit into 63 bits. Numbers with binary suffixes are reduced to the largest number
	// that fits when they are read. Numbers with decimal suffixes are kept, and the controllers read them as the
	// integer 0.
	"8Ei":  {"8Ei", "16Ei", "9223372036854775807"},
	"10E":  {"10E", "10E", "1e19", "10000P"},
	"20E":  {"20E", "20000P"},
	"zero": {"0", "0Gi"},
}

// stored are the notations of each family that an API server returns. Only some worlds use other notations.
var stored = map[string][]string{
	"1Gi": {"1Gi", "1Gi", "1Gi", "1073741824"}, "2Gi": {"2Gi", "2Gi", "2147483648"}, "3Gi": {"3Gi", "3Gi", "3221225472"},
	"1G": {"1G", "1G", "1e9"}, "512Mi": {"512Mi", "512Mi", "536870912"}, "2": {"2"}, "1.5": {"1500m"},
	"8Ei": {"9223372036854775807"}, "10E": {"10E"}, "20E": {"20E"}, "zero": {"0"},
}

// oddSizes are the families of sizes for objects that differ from the rest of their world.
var oddSizes = []string{"512Mi", "512Mi", "1G", "1G", "1Gi", "1Gi", "2Gi", "2Gi", "3Gi", "3Gi", "512Mi", "1Gi", "2Gi", "1.5", "2", "8Ei", "10E", "20E"}

// sizeKeys are the families from the smallest to the largest.
var sizeKeys = []string{"zero", "1.5", "2", "512Mi", "1G", "1Gi", "2Gi", "3Gi", "8Ei", "10E", "20E"}

// palettes are the sets of families from which one world draws its sizes.
var palettes = [][]string{
	{"1Gi"}, {"1Gi"}, {"1Gi"}, {"1Gi"}, {"2Gi"}, {"512Mi"},
	{"1Gi", "2Gi"}, {"1Gi", "2Gi"}, {"1Gi", "2Gi", "3Gi"}, {"512Mi", "1Gi"},
	{"1G"}, {"1G", "1Gi"}, {"1G", "512Mi"},
	{"1.5", "2"}, {"1.5", "2"},
	{"10E", "512Mi"}, {"8Ei", "10E", "20E"},
}

var (
	// claimThemes are the access modes that the claims of a world request. Lists with the same number of modes are next
	// to each other, because the controllers do not define their order.
	claimThemes  = [][]string{{"ReadWriteOnce"}, {"ReadWriteOnce"}, {"ReadWriteOnce"}, {"ReadOnlyMany"}, {"ReadWriteMany"}, {"ReadWriteOncePod"}, {"ReadWriteOnce", "ReadOnlyMany"}, {"ReadOnlyMany", "ReadWriteOnce"}, {"ReadWriteOnce", "ReadWriteOnce"}, {"ReadWriteMany", "ReadOnlyMany"}}
	plainModes   = []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"}
	volumeModes  = []string{modeFilesystem, modeFilesystem, modeFilesystem, modeBlock}
	claimPhases  = []string{"Pending", "Bound", "Lost"}
	volumePhases = []string{"Pending", "Available", "Bound", "Released", "Failed"}
	policies     = []string{"Retain", "Delete", "Recycle"}
	classNames   = []string{"a", "b", "d"}
	claimNames   = []string{"c1", "c2", "c3", ephemeralClaimName}
	namespaces   = []string{"default", "default", "db"}
	nodeNames    = []string{"n1", "n2"}
	attributes   = []string{"gold", "silver"}
	yesValues    = []string{"yes", "yes", "yes", "true", ""}
	creations    = []string{"2026-06-01T10:00:00Z", "2026-06-02T10:00:00Z", "2026-06-03T10:00:00Z"}

	// provisioners are the provisioners of classes: external drivers, in-tree names that are translated to drivers, and
	// in-tree names for which the controller manager has a plugin or has none.
	provisioners = []string{
		driverName, driverName, driverName, "example.com/nfs", noProvisionerName, noProvisionerName,
		"kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/azure-disk", "kubernetes.io/azure-file",
		"kubernetes.io/cinder", "kubernetes.io/vsphere-volume", "kubernetes.io/portworx-volume", "kubernetes.io/rbd",
		hostPathName, hostPathName, "kubernetes.io/nfs", "kubernetes.io/x",
	}
	migrations = [][2]string{
		{"kubernetes.io/aws-ebs", "ebs.csi.aws.com"}, {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
		{"kubernetes.io/azure-disk", "disk.csi.azure.com"}, {"kubernetes.io/azure-file", "file.csi.azure.com"},
		{"kubernetes.io/cinder", "cinder.csi.openstack.org"}, {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"},
		{"kubernetes.io/portworx-volume", "pxd.portworx.com"},
	}
	// provisionedBy are the values of the annotation pv.kubernetes.io/provisioned-by on volumes.
	provisionedBy = []string{
		driverName, driverName, "example.com/nfs", "ebs.csi.aws.com", "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd",
		hostPathName, hostPathName, hostPathName, "kubernetes.io/nfs", "kubernetes.io/rbd", "kubernetes.io/x", "",
	}
	migratedTo = []string{"ebs.csi.aws.com", "ebs.csi.aws.com", driverName, ""}
	preResizes = []string{"512Mi", "1Gi", "1024Mi", "1.5", "", "many"}

	// paths are the paths of hostPath volumes. If a path has /tmp/ and more text after it, the controller's plugin
	// really removes this path from the machine on which it runs. So such paths name directories that do not exist.
	paths = []string{
		"/tmp/pvctl-oracle-void/x", "/tmp/pvctl-oracle-void/x", "/srv/tmp/pvctl-oracle-void", "/data", "/tmp", "/tmp/", "/tmpx/y", "/",
	}
	sources = []string{
		"csi", "csi", "csi", "csi", "hostPath", "hostPath", "hostPath", "hostPath", "nfs", "nfs", "nfs", "local", "local", "iscsi", "fc",
		"awsElasticBlockStore", "gcePersistentDisk", "azureDisk", "azureFile", "cinder", "vsphereVolume", "portworxVolume", "rbd",
		"cephfs", "glusterfs", "flexVolume", "quobyte", "storageos", "scaleIO", "flocker", "photonPersistentDisk",
	}

	// selectors and unparsable are selectors of claims. An API server stores the elements of the first list. Only older
	// servers stored the elements of the second list.
	selectors = []object{
		{"matchLabels": object{"tier": "fast"}},
		{"matchLabels": object{"tier": "fast"}},
		{"matchLabels": object{"tier": "fast", "zone": "z1"}},
		{"matchLabels": object{"tier": ""}},
		{},
		{"matchLabels": object{}, "matchExpressions": []any{}},
		{"matchExpressions": []any{requirement("tier", "In", "fast", "slow")}},
		{"matchExpressions": []any{requirement("tier", "NotIn", "fast")}},
		{"matchExpressions": []any{requirement("zone", "Exists")}},
		{"matchExpressions": []any{requirement("zone", "DoesNotExist")}},
		{"matchLabels": object{"tier": "slow"}, "matchExpressions": []any{requirement("zone", "In", "z1"), requirement("zone", "NotIn", "z2")}},
	}
	unparsable = []object{
		{"matchExpressions": []any{requirement("tier", "In", "-bad-")}},
		{"matchExpressions": []any{requirement("tier", "In")}},
		{"matchExpressions": []any{requirement("tier", "Exists", "fast")}},
		{"matchExpressions": []any{requirement("tier", "Gt", "1")}},
		{"matchExpressions": []any{requirement("-bad-", "Exists")}},
		{"matchLabels": object{"tier": "-bad-"}},
		{"matchLabels": object{"": "fast"}},
	}
	labels = []object{
		nil, nil, {"tier": "fast"}, {"tier": "fast"}, {"tier": "slow"}, {"tier": ""}, {"zone": "z1"}, {"tier": "fast", "zone": "z1"},
		{"tier": "slow", "zone": "z1"}, {"zone": "z2"},
	}
	affinities = []object{
		terms(object{"matchExpressions": []any{requirement("kubernetes.io/hostname", "In", "n1")}}),
		terms(object{"matchExpressions": []any{requirement("kubernetes.io/hostname", "In", "n2")}}),
		terms(object{"matchExpressions": []any{requirement("kubernetes.io/hostname", "NotIn", "n1")}}),
		terms(object{"matchExpressions": []any{requirement("topology.kubernetes.io/zone", "Exists")}}),
		terms(object{"matchExpressions": []any{requirement("topology.kubernetes.io/zone", "DoesNotExist")}}),
		terms(object{"matchExpressions": []any{requirement("cores", "Gt", "3")}}),
		terms(object{"matchExpressions": []any{requirement("cores", "Lt", "3")}}),
		terms(object{"matchFields": []any{requirement("metadata.name", "In", "n1")}}),
		terms(object{}),
		terms(
			object{"matchExpressions": []any{requirement("kubernetes.io/hostname", "In", "n9")}},
			object{"matchExpressions": []any{requirement("kubernetes.io/hostname", "In", "n1"), requirement("topology.kubernetes.io/zone", "In", "z1", "z2")}},
		),
	}
	nodeLabels = []object{
		{}, {"topology.kubernetes.io/zone": "z1"}, {"topology.kubernetes.io/zone": "z2", "cores": "2"}, {"cores": "4"}, {"cores": "many"},
	}

	podPhases = []string{"Pending", "Pending", "Pending", "Running", "Succeeded", "Failed", "Unknown"}
)

func requirement(key, operator string, values ...string) object {
	made := object{"key": key, "operator": operator}
	if len(values) > 0 {
		made["values"] = values
	}
	return made
}

func terms(list ...object) object {
	all := make([]any, 0, len(list))
	for _, term := range list {
		all = append(all, term)
	}
	return object{"required": object{"nodeSelectorTerms": all}}
}

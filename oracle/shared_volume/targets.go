package main

import "net/netip"

// split returns the address and the port of an endpoint, or usual ones if it has none that an API server stores.
func (g *generator) split(endpoint string) (string, int) {
	if both, err := netip.ParseAddrPort(endpoint); err == nil && both.Port() > 0 {
		if address := both.Addr(); address.IsGlobalUnicast() && !address.Is4In6() {
			return address.String(), int(both.Port())
		}
	}
	if g.ipv6 {
		return "fd00::5", 25710
	}
	return "10.0.0.5", 25710
}

// service returns a Service as an API server stores it. It is the one that the controller makes, except that somebody
// may have changed fields.
func (g *generator) service(v *shared, claim object) object {
	defer g.focus("services")()
	_, target := g.split(v.endpoint)
	port := object{
		"name": usual(g, "nfs", "nfsd", "x"), "port": usual(g, 2049, 12049, 111), "protocol": usual(g, "TCP", "UDP"),
		"targetPort": usual[any](g, target, 25700, 2049, "nfs", "p25710"),
	}
	if g.percent(g.odd / 4) {
		delete(port, "name")
	}
	if g.percent(g.odd / 4) {
		port["appProtocol"] = "example.com/nfs"
	}
	ports := []any{port}
	if g.percent(g.odd / 3) {
		port["name"] = "nfs"
		second := object{"name": "rpcbind", "port": 20111, "protocol": "TCP", "targetPort": 111}
		ports = one(g, []any{port, second}, []any{second, port})
	}
	spec := object{"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}
	g.address(v, spec)
	switch usual(g, "", "NodePort", "NodePort", "LoadBalancer", "ExternalName", "ExternalName", "None", "None") {
	case "NodePort":
		spec["type"], spec["externalTrafficPolicy"] = "NodePort", "Cluster"
		g.nodePorts(ports)
	case "LoadBalancer":
		spec["type"], spec["externalTrafficPolicy"], spec["allocateLoadBalancerNodePorts"] = "LoadBalancer", "Cluster", true
		g.nodePorts(ports)
	case "ExternalName":
		for _, field := range []string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"} {
			delete(spec, field)
		}
		spec["type"], spec["externalName"] = "ExternalName", "nfs.example.com"
		if g.percent(40) {
			ports = nil
		}
	case "None":
		spec["clusterIP"], spec["clusterIPs"] = "None", []string{"None"}
		if g.percent(25) {
			ports = nil
		}
	}
	if ports != nil {
		spec["ports"] = ports
	}
	g.foreignFields(spec)
	made := g.object("v1", "Service", v.namespace, v.name, object{"spec": spec, "status": object{"loadBalancer": object{}}})
	metadata := made["metadata"].(object)
	if labels := usual(g, object{labelID: v.id}, object{}, object{labelID: "id-9"}, object{labelID: v.id, "app": "web"}); len(labels) > 0 {
		metadata["labels"] = labels
	}
	uid := "u-other"
	if claim != nil {
		uid = textIn(claim, "metadata", "uid")
	}
	owner := object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": v.claim, "uid": usual(g, uid, "u-old")}
	foreign := object{"apiVersion": "apps/v1", "kind": "Deployment", "name": "nfs", "uid": "u-deployment"}
	if owners := usual(g, []any{owner}, nil, []any{foreign}, []any{owner, foreign}); owners != nil {
		metadata["ownerReferences"] = owners
	}
	if g.percent(g.odd / 4) {
		metadata["annotations"] = object{"example.com/note": "kept"}
	}
	if g.percent(g.odd / 4) {
		deleting(made, "foregroundDeletion")
	}
	return made
}

// address gives a Service its addresses.
func (g *generator) address(v *shared, spec object) {
	family := "IPv4"
	if g.ipv6 {
		family = "IPv6"
	}
	address := usual(g, v.address, v.address+"9")
	spec["clusterIP"], spec["clusterIPs"], spec["ipFamilies"] = address, []string{address}, []string{family}
	spec["ipFamilyPolicy"] = "SingleStack"
	if !g.ipv6 && g.percent(g.odd/4) {
		// In a cluster with both families, somebody has replaced the Service by one that has both.
		spec["clusterIPs"], spec["ipFamilies"] = []string{address, "fd00:10:97::1"}, []string{"IPv4", "IPv6"}
		spec["ipFamilyPolicy"] = "PreferDualStack"
	}
}

func (g *generator) nodePorts(ports []any) {
	for place, port := range ports {
		port.(object)["nodePort"] = 30001 + place
	}
}

// foreignFields sets fields that the controller neither compares nor writes. It does not know trafficDistribution, so
// that its updates remove this field.
func (g *generator) foreignFields(spec object) {
	each := func(set func()) {
		if g.percent(g.odd / 3) {
			set()
		}
	}
	each(func() { spec["selector"] = object{"app": "nfs"} })
	each(func() { spec["externalIPs"] = []string{"192.0.2.7"} })
	each(func() { spec["publishNotReadyAddresses"] = true })
	each(func() {
		spec["sessionAffinity"], spec["sessionAffinityConfig"] = "ClientIP", object{"clientIP": object{"timeoutSeconds": 10800}}
	})
	if spec["type"] != "ExternalName" {
		each(func() { spec["trafficDistribution"] = "PreferClose" })
	}
	if spec["externalIPs"] != nil && spec["type"] == "ClusterIP" {
		spec["externalTrafficPolicy"] = "Cluster"
	}
}

// endpoints returns Endpoints as an API server stores them. They are those that the controller makes, except that
// somebody may have changed fields.
func (g *generator) endpoints(v *shared) object {
	defer g.focus("endpoints")()
	ip, number := g.split(v.endpoint)
	address := object{"ip": usual(g, ip, "10.0.0.4", "10.0.0.9", "fd00::9")}
	other := object{"ip": "10.0.0.19"}
	if g.percent(g.odd / 4) {
		address["hostname"], address["nodeName"] = "server", "node-1"
		address["targetRef"] = object{"kind": "Pod", "namespace": v.namespace, "name": "server"}
	}
	port := object{
		"name": usual(g, "nfs", "nfsd"), "port": usual(g, number, 25700, 2049), "protocol": usual(g, "TCP", "UDP"),
	}
	if g.percent(g.odd / 4) {
		delete(port, "name")
	}
	subset := object{"addresses": []any{address}, "ports": []any{port}}
	subsets := []any{subset}
	switch usual(g, "", "second", "first", "ports", "subsets", "subsets", "none", "not ready", "both", "no ports") {
	case "second":
		subset["addresses"] = []any{address, other}
	case "first":
		subset["addresses"] = []any{other, address}
	case "ports":
		port["name"] = "nfs"
		second := object{"name": "rpcbind", "port": 111, "protocol": "TCP"}
		subset["ports"] = one(g, []any{port, second}, []any{second, port})
	case "subsets":
		second := object{"addresses": []any{other}, "ports": []any{object{"name": "rpcbind", "port": 111, "protocol": "UDP"}}}
		subsets = one(g, []any{subset, second}, []any{second, subset})
	case "none":
		subsets = nil
	case "not ready":
		delete(subset, "addresses")
		subset["notReadyAddresses"] = []any{address}
	case "both":
		subset["notReadyAddresses"] = []any{other}
	case "no ports":
		delete(subset, "ports")
	}
	made := g.object("v1", "Endpoints", v.namespace, v.name, object{})
	if subsets != nil {
		made["subsets"] = subsets
	}
	metadata := made["metadata"].(object)
	managed := object{"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
	if labels := usual(g, object{labelID: v.id}, object{}, object{labelID: "id-9"}, managed); len(labels) > 0 {
		metadata["labels"] = labels
	}
	if g.percent(g.odd / 4) {
		metadata["annotations"] = object{"endpoints.kubernetes.io/last-change-trigger-time": "2026-06-01T10:00:00Z"}
	}
	if g.percent(g.odd / 4) {
		deleting(made, "example.com/kept")
	}
	return made
}

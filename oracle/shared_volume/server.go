package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// object is a JSON object.
type object = map[string]any

// The kinds of the objects that the server stores, and the texts of the API server about them.
var resources = map[string]string{
	"Volume": "volumes", "PersistentVolumeClaim": "persistentvolumeclaims", "Service": "services", "Endpoints": "endpoints",
}

const (
	// changed is OptimisticLockErrorMsg of k8s.io/apiserver/pkg/registry/generic/registry.
	changed = "the object has been modified; please apply your changes to the latest version and try again"
	// now is the time at which the server creates objects.
	now = "2026-06-01T12:00:00Z"
)

// server is an API server with the objects of a world. Its rules are those of Kubernetes 1.36.3 for the objects that
// the controller can send.
type server struct {
	ipv6   bool
	stored map[Object]object
	// order has the names of the Volumes in the order in which they were created.
	order []string
	// version is the last resource version, and the other numbers count what was assigned.
	version, addresses, nodePorts, created int
}

func keyOf(each object) Object {
	kind, _ := each["kind"].(string)
	return Object{kind, textIn(each, "metadata", "namespace"), textIn(each, "metadata", "name")}
}

// in returns the value at a path of an object, or nil.
func in(value any, path ...string) any {
	for _, field := range path {
		fields, _ := value.(object)
		value = fields[field]
	}
	return value
}

func textIn(value any, path ...string) string {
	text, _ := in(value, path...).(string)
	return text
}

func listIn(value any, path ...string) []any {
	list, _ := in(value, path...).([]any)
	return list
}

func written(value any) []byte {
	text, err := json.Marshal(value)
	must(err)
	return text
}

func parsed(text []byte) object {
	var made object
	must(json.Unmarshal(text, &made))
	return made
}

func copied(each object) object { return parsed(written(each)) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// difference returns a merge patch that leads from one object to the other.
func difference(from, to object) json.RawMessage {
	patch, err := jsonpatch.CreateMergePatch(written(from), written(to))
	must(err)
	return patch
}

func newServer(items []json.RawMessage, ipv6 bool) *server {
	s := &server{ipv6: ipv6, stored: map[Object]object{}, version: 5000}
	for _, text := range items {
		each := parsed(text)
		s.stored[keyOf(each)] = each
		if each["kind"] == "Volume" {
			s.order = append(s.order, keyOf(each).Name)
		}
	}
	return s
}

// store stores an object with the next resource version.
func (s *server) store(each object) {
	s.version++
	each["metadata"].(object)["resourceVersion"] = strconv.Itoa(s.version)
	s.stored[keyOf(each)] = each
}

// create is the creation of a Service or of Endpoints.
func (s *server) create(sent object) (object, error) {
	key := keyOf(sent)
	made := copied(sent)
	if _, ok := s.stored[key]; ok {
		return nil, apierrors.NewAlreadyExists(resource(key.Kind), key.Name)
	}
	setDefaults(made)
	if err := invalid(made, nil); err != nil {
		return nil, err
	}
	if key.Kind == "Service" {
		made["status"] = object{"loadBalancer": object{}}
		s.assign(made)
	}
	s.created++
	metadata := made["metadata"].(object)
	metadata["uid"], metadata["creationTimestamp"] = fmt.Sprintf("created-%d", s.created), now
	s.store(made)
	return made, nil
}

// update is the update of a Service or of Endpoints.
func (s *server) update(sent object) (object, error) {
	key := keyOf(sent)
	before, ok := s.stored[key]
	if !ok {
		panic("the controller updates only what it has read, and nobody else removes objects during a sync")
	}
	if version := textIn(sent, "metadata", "resourceVersion"); version != textIn(before, "metadata", "resourceVersion") {
		return nil, apierrors.NewConflict(resource(key.Kind), key.Name, errors.New(changed))
	}
	made := copied(sent)
	setDefaults(made)
	if key.Kind == "Service" {
		made["status"] = before["status"]
		s.keepNodePorts(made, before)
	}
	if err := invalid(made, before); err != nil {
		return nil, err
	}
	if key.Kind == "Service" {
		s.assignNodePorts(made)
	}
	// An update that changes nothing gets no new version.
	if string(written(made)) == string(written(before)) {
		return before, nil
	}
	s.store(made)
	return made, nil
}

func resource(kind string) schema.GroupResource {
	return schema.GroupResource{Resource: resources[kind]}
}

// setDefaults sets the defaults of SetDefaults_Service and SetDefaults_Endpoints in k8s.io/kubernetes/pkg/apis/core/v1.
func setDefaults(made object) {
	if made["kind"] == "Endpoints" {
		for _, subset := range listIn(made, "subsets") {
			for _, port := range listIn(subset, "ports") {
				setDefault(port, "protocol", "TCP")
			}
		}
		return
	}
	spec := made["spec"].(object)
	setDefault(spec, "sessionAffinity", "None")
	setDefault(spec, "type", "ClusterIP")
	if spec["type"] != "ExternalName" {
		setDefault(spec, "internalTrafficPolicy", "Cluster")
	}
	for _, each := range listIn(spec, "ports") {
		port := each.(object)
		setDefault(port, "protocol", "TCP")
		if port["targetPort"] == 0.0 || port["targetPort"] == "" {
			port["targetPort"] = port["port"]
		}
	}
}

func setDefault(fields any, name string, value any) {
	if made := fields.(object); made[name] == nil || made[name] == "" {
		made[name] = value
	}
}

// assign gives a new Service its address, as Alloc of k8s.io/kubernetes/pkg/registry/core/service/storage does for a
// Service of the type ClusterIP without an address in a cluster with one family of addresses.
func (s *server) assign(made object) {
	var taken []any
	for _, each := range s.stored {
		taken = append(taken, listIn(each, "spec", "clusterIPs")...)
	}
	family, format, address := "IPv4", "10.96.100.%d", ""
	if s.ipv6 {
		family, format = "IPv6", "fd00:10:96::%x"
	}
	for address == "" || slices.Contains(taken, any(address)) {
		s.addresses++
		address = fmt.Sprintf(format, s.addresses)
	}
	maps.Copy(made["spec"].(object), object{
		"clusterIP": address, "clusterIPs": []any{address}, "ipFamilies": []any{family}, "ipFamilyPolicy": "SingleStack",
	})
}

func hasNodePorts(each object) bool {
	kind := textIn(each, "spec", "type")
	return kind == "NodePort" || kind == "LoadBalancer" && in(each, "spec", "allocateLoadBalancerNodePorts") != false
}

// keepNodePorts does what patchAllocatedValues of the same package does: a port without a node port gets the one that
// the stored port with its name has.
func (s *server) keepNodePorts(made, before object) {
	if !hasNodePorts(made) || !hasNodePorts(before) {
		return
	}
	var used []any
	named := map[string]any{}
	for _, port := range listIn(made, "spec", "ports") {
		used = append(used, in(port, "nodePort"))
	}
	for _, port := range listIn(before, "spec", "ports") {
		named[textIn(port, "name")] = in(port, "nodePort")
	}
	for _, port := range listIn(made, "spec", "ports") {
		kept := named[textIn(port, "name")]
		if in(port, "nodePort") == nil && kept != nil && !slices.Contains(used, kept) {
			port.(object)["nodePort"] = kept
		}
	}
}

// assignNodePorts gives the other ports that need a node port the next one from 31001.
func (s *server) assignNodePorts(made object) {
	if !hasNodePorts(made) {
		return
	}
	for _, port := range listIn(made, "spec", "ports") {
		if in(port, "nodePort") == nil {
			s.nodePorts++
			port.(object)["nodePort"] = float64(31000 + s.nodePorts)
		}
	}
}

// put creates or replaces an object for somebody else than the controller.
func (s *server) put(each object) {
	key := keyOf(each)
	if key.Kind == "Volume" && !slices.Contains(s.order, key.Name) {
		s.order = append(s.order, key.Name)
	}
	s.store(each)
}

// remove removes an object for somebody else than the controller.
func (s *server) remove(key Object) {
	delete(s.stored, key)
	s.order = slices.DeleteFunc(s.order, func(name string) bool { return key.Kind == "Volume" && name == key.Name })
}

// publish writes the mount endpoints of volumes into the labels of the Volumes. It returns the old and the new Volumes.
func (s *server) publish(endpoints map[string]string) (all [][2]object) {
	for _, name := range slices.Sorted(slices.Values(s.order)) {
		before := s.stored[Object{"Volume", "", name}]
		endpoint, ok := endpoints[textIn(before, "status", "volumeId")]
		if !ok || textIn(before, "spec", "configLabels", mountEndpoint) == endpoint {
			continue
		}
		after := copied(before)
		spec, _ := after["spec"].(object)
		if spec == nil {
			spec = object{}
			after["spec"] = spec
		}
		labels, _ := spec["configLabels"].(object)
		if labels == nil {
			labels = object{}
			spec["configLabels"] = labels
		}
		labels[mountEndpoint] = endpoint
		s.store(after)
		all = append(all, [2]object{before, after})
	}
	return all
}

// refusal returns the error of a request that a script lets fail.
func refusal(reason string, resource schema.GroupResource, name string) error {
	switch reason {
	case "NotFound":
		return apierrors.NewNotFound(resource, name)
	case "Conflict":
		return apierrors.NewConflict(resource, name, errors.New(changed))
	case "AlreadyExists":
		return apierrors.NewAlreadyExists(resource, name)
	default:
		return apierrors.NewInternalError(errors.New("the API server says no"))
	}
}

// kindOf returns the kind that a part of a path names, such as services.
func kindOf(part string) string {
	for kind, name := range resources {
		if name == part {
			return kind
		}
	}
	panic("no kind for " + strings.TrimSpace(part))
}

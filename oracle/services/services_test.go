// Package services has only a test. The recordings of shared_volume come from an API server with rules that are written
// there, because its module has old versions of the modules of Kubernetes. The test compares these rules with the real
// ones of this module: defaults, conversions and validation of Services and Endpoints.
package services

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // the conversions and defaults are found in the scheme
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"pvctl.dev/oracle/line"
)

type object = map[string]any

type key struct{ kind, namespace, name string }

// recorded is the part of a line of shared_volume that the test reads.
type recorded struct {
	ID    string
	World struct{ Items []object }
	Share struct {
		Turns []struct {
			Set    []object
			Delete []struct{ Kind, Namespace, Name string }
		}
		Answers []struct {
			Syncs []struct {
				Effects []struct{ Create, Update *request }
			}
		}
	}
}

type request struct {
	Object, Change, Stored json.RawMessage
	Kind, Namespace, Name  string
	Refused                string
}

// checker has the objects that are stored while a line is followed, and counts what it has compared.
type checker struct {
	*testing.T
	stored                      map[key]object
	objects, accepted, rejected int
}

func TestSharedVolume(t *testing.T) {
	paths, err := filepath.Glob("../../tests/conformance/shared-volume-*.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		unpacked, err := line.Unpack(path)
		if err != nil {
			t.Fatal(err)
		}
		c := &checker{T: t}
		decoder := json.NewDecoder(unpacked)
		for decoder.More() {
			var l recorded
			if err := decoder.Decode(&l); err != nil {
				t.Fatal(err)
			}
			c.follow(&l)
		}
		t.Logf("%d objects, %d accepted and %d refused requests", c.objects, c.accepted, c.rejected)
		if c.objects == 0 || c.accepted == 0 || c.rejected == 0 {
			t.Error("the recordings have no such object or request")
		}
	}
	if len(paths) == 0 {
		t.Error("no recordings")
	}
}

func (c *checker) follow(l *recorded) {
	c.stored = map[key]object{}
	for _, each := range l.World.Items {
		c.put(l.ID, each)
	}
	for place, turn := range l.Share.Turns {
		for _, each := range turn.Set {
			c.put(l.ID, each)
		}
		for _, each := range turn.Delete {
			delete(c.stored, key{each.Kind, each.Namespace, each.Name})
		}
		for _, sync := range l.Share.Answers[place].Syncs {
			for _, effect := range sync.Effects {
				if effect.Create != nil {
					c.request(l.ID, effect.Create, nil)
				} else if made := effect.Update; made != nil && made.Change != nil {
					c.request(l.ID, made, c.stored[key{made.Kind, made.Namespace, made.Name}])
				}
			}
		}
	}
}

// put stores an object that somebody else wrote. It must be valid and have all defaults.
func (c *checker) put(id string, each object) {
	kind, _ := each["kind"].(string)
	if kind != "Service" && kind != "Endpoints" {
		return
	}
	c.objects++
	metadata := each["metadata"].(object)
	c.stored[key{kind, metadata["namespace"].(string), metadata["name"].(string)}] = each
	decoded := c.decode(each)
	if errs := rules.Validate(context.Background(), decoded); len(errs) > 0 {
		c.Errorf("%s: a stored object is invalid: %v", id, errs.ToAggregate())
	}
	c.same(id, "stored object", each, c.encode(decoded))
}

// request makes a recorded request again. The stored object is nil for a creation.
func (c *checker) request(id string, made *request, before object) {
	ctx := genericapirequest.WithNamespace(context.Background(), made.Namespace)
	sent := c.patched(before, made.Change)
	if before == nil {
		sent = c.patched(object{}, made.Object)
	}
	after := c.decode(sent)
	var err error
	if before == nil {
		rest.FillObjectMetaSystemFields(after.(metav1.Object))
		err = rest.BeforeCreate(rules, ctx, after)
	} else {
		err = rest.BeforeUpdate(rules, ctx, after, c.decode(before))
	}
	switch invalid := strings.Contains(made.Refused, " is invalid: "); {
	case invalid && (err == nil || err.Error() != made.Refused):
		c.Errorf("%s: the real error of a request is %v, recorded is %s", id, err, made.Refused)
	case invalid:
		c.rejected++
	case made.Refused != "":
		// The script refused it, or the object exists.
	case err != nil:
		c.Errorf("%s: the API server refuses a request that was accepted: %v", id, err)
	default:
		c.accepted++
		stored := c.patched(sent, made.Stored)
		c.same(id, "result of a request", withoutAssigned(stored), withoutAssigned(c.encode(after)))
		c.stored[key{made.Kind, made.Namespace, made.Name}] = stored
	}
}

// withoutAssigned removes the fields that the store and the allocators assign.
func withoutAssigned(each object) object {
	made := maps.Clone(each)
	metadata := maps.Clone(made["metadata"].(object))
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp"} {
		delete(metadata, field)
	}
	made["metadata"] = metadata
	spec, ok := made["spec"].(object)
	if !ok {
		return made
	}
	spec = maps.Clone(spec)
	for _, field := range []string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"} {
		delete(spec, field)
	}
	ports, _ := spec["ports"].([]any)
	kept := []any{}
	for _, port := range ports {
		port := maps.Clone(port.(object))
		delete(port, "nodePort")
		kept = append(kept, port)
	}
	made["spec"], spec["ports"] = spec, kept
	return made
}

// strategy does what the strategies of k8s.io/kubernetes/pkg/registry/core/service and endpoint do for these requests.
// These packages need modules that this module does not have.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
}

var rules = strategy{legacyscheme.Scheme, names.SimpleNameGenerator}

func (strategy) NamespaceScoped() bool          { return true }
func (strategy) AllowCreateOnUpdate() bool      { return true }
func (strategy) AllowUnconditionalUpdate() bool { return true }
func (strategy) Canonicalize(runtime.Object)    {}

// PrepareForCreate clears the status.
func (strategy) PrepareForCreate(_ context.Context, made runtime.Object) {
	if service, ok := made.(*core.Service); ok {
		service.Status = core.ServiceStatus{}
	}
}

// PrepareForUpdate keeps the status. The real one also clears fields if the type changes, which no update does here.
func (strategy) PrepareForUpdate(_ context.Context, made, before runtime.Object) {
	if service, ok := made.(*core.Service); ok {
		service.Status = before.(*core.Service).Status
	}
}

func (strategy) Validate(_ context.Context, made runtime.Object) field.ErrorList {
	if service, ok := made.(*core.Service); ok {
		return validation.ValidateServiceCreate(service)
	}
	return validation.ValidateEndpointsCreate(made.(*core.Endpoints))
}

func (strategy) ValidateUpdate(_ context.Context, made, before runtime.Object) field.ErrorList {
	if service, ok := made.(*core.Service); ok {
		return validation.ValidateServiceUpdate(service, before.(*core.Service))
	}
	return validation.ValidateEndpointsUpdate(made.(*core.Endpoints), before.(*core.Endpoints))
}

func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// decode decodes an object as the API server does, with defaults.
func (c *checker) decode(each object) runtime.Object {
	into, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), c.text(each))
	if err != nil {
		c.Fatal(err)
	}
	return into
}

func (c *checker) encode(each runtime.Object) object {
	version := schema.GroupVersion{Version: "v1"}
	text, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(version), each)
	if err != nil {
		c.Fatal(err)
	}
	var made object
	if err := json.Unmarshal(text, &made); err != nil {
		c.Fatal(err)
	}
	if metadata := made["metadata"].(object); metadata["creationTimestamp"] == nil {
		delete(metadata, "creationTimestamp")
	}
	return made
}

func (c *checker) patched(from object, patch json.RawMessage) object {
	text, err := jsonpatch.MergePatch(c.text(from), patch)
	if patch == nil {
		text, err = c.text(from), nil
	}
	if err != nil {
		c.Fatal(err)
	}
	var made object
	if err := json.Unmarshal(text, &made); err != nil {
		c.Fatal(err)
	}
	return made
}

func (c *checker) text(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		c.Fatal(err)
	}
	return text
}

func (c *checker) same(id, what string, recorded, real object) {
	if is, was := string(c.text(real)), string(c.text(recorded)); is != was {
		c.Errorf("%s: %s:\n    real %s\nrecorded %s", id, what, is, was)
	}
}

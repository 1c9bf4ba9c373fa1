package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	stosv1 "github.com/storageos/api-manager/api/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

var scheme = func() *runtime.Scheme {
	made := runtime.NewScheme()
	must(v1.AddToScheme(made))
	must(stosv1.AddToScheme(made))
	return made
}()

// recorder is everything that the controller can reach during a sync, and records what the controller does with it. It
// is the cache that the controller reads from, the connection to the API server, the storage system and the recorder of
// events.
type recorder struct {
	server *server
	refuse []Refused
	begin  time.Time
	// sent counts the requests of the sync with each name.
	sent map[string]int
	made Sync
}

func (r *recorder) add(effect Effect) {
	effect.At = time.Since(r.begin).Milliseconds()
	r.made.Effects = append(r.made.Effects, effect)
}

// refused returns the reason for which the script lets a request fail, or "".
func (r *recorder) refused(request string) string {
	place := r.sent[request]
	r.sent[request]++
	for _, each := range r.refuse {
		if each.Request == request && each.Place <= place && place < each.Place+max(each.Count, 1) {
			return each.Reason
		}
	}
	return ""
}

// client returns the client of a manager: it reads from the cache, and it writes to the API server.
func (r *recorder) client() client.Client {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"Service", "Endpoints", "PersistentVolumeClaim"} {
		mapper.Add(v1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	mapper.Add(stosv1.GroupVersion.WithKind("Volume"), meta.RESTScopeRoot)
	config := &rest.Config{Host: "http://server", Transport: r, QPS: -1}
	config.ContentType = runtime.ContentTypeJSON
	direct, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	must(err)
	made, err := client.NewDelegatingClient(client.NewDelegatingClientInput{CacheReader: r, Client: direct})
	must(err)
	return made
}

// requests are the parts of the names of requests.
var requests = map[string]string{
	"Volume": "Volume", "PersistentVolumeClaim": "Claim", "Service": "Service", "Endpoints": "Endpoints",
}

// Get reads from the cache, with the errors of CacheReader in sigs.k8s.io/controller-runtime/pkg/cache/internal. If
// there is no such object, the target stays as it is.
func (r *recorder) Get(_ context.Context, key client.ObjectKey, into client.Object) error {
	kind, err := apiutil.GVKForObject(into, scheme)
	must(err)
	reason := r.refused("get" + requests[kind.Kind])
	found, ok := r.server.stored[Object{kind.Kind, key.Namespace, key.Name}]
	switch {
	case reason == "NoAddress" && ok:
		found = copied(found)
		spec := found["spec"].(object)
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	case reason == "" && ok:
	default:
		if reason == "" || reason == "NoAddress" {
			reason = "NotFound"
		}
		return refusal(reason, schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, key.Name)
	}
	read := reflect.New(reflect.TypeOf(into).Elem())
	must(json.Unmarshal(written(found), read.Interface()))
	reflect.ValueOf(into).Elem().Set(read.Elem())
	into.GetObjectKind().SetGroupVersionKind(kind)
	return nil
}

// List is never called by the controller.
func (r *recorder) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("the controller lists nothing")
}

// RoundTrip answers a request of the controller to the API server.
func (r *recorder) RoundTrip(asked *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(asked.Body)
	if err != nil {
		return nil, err
	}
	sent := parsed(body)
	// The path is /api/v1/namespaces/NAMESPACE/RESOURCE, and an update has the name after that.
	parts := strings.Split(asked.URL.Path, "/")
	kind := kindOf(parts[5])
	request := &Request{Kind: kind, Namespace: parts[4], Name: textIn(sent, "metadata", "name")}
	var stored object
	act, name := r.server.create, "create"+kind
	if asked.Method == http.MethodPut {
		act, name = r.server.update, "update"+kind
		if before, ok := r.server.stored[keyOf(sent)]; ok {
			request.Change = difference(before, sent)
		}
		r.add(Effect{Update: request})
	} else {
		sent = asRecorded(sent)
		request.Object = written(sent)
		r.add(Effect{Create: request})
	}
	if reason := r.refused(name); reason != "" {
		err = refusal(reason, resource(kind), request.Name)
	} else {
		stored, err = act(sent)
	}
	if err != nil {
		request.Refused = err.Error()
		var status apierrors.APIStatus
		if !errors.As(err, &status) {
			return nil, err
		}
		failed := status.Status()
		failed.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		return response(int(failed.Code), failed), nil
	}
	request.Stored = difference(sent, stored)
	return response(http.StatusOK, stored), nil
}

// asRecorded removes the fields that a client sends with every new object although they are empty.
func asRecorded(sent object) object {
	made := copied(sent)
	delete(made["metadata"].(object), "creationTimestamp")
	delete(made, "status")
	return made
}

func response(code int, body any) *http.Response {
	return &http.Response{
		StatusCode: code, Header: http.Header{"Content-Type": []string{runtime.ContentTypeJSON}},
		Body: io.NopCloser(bytes.NewReader(written(body))),
	}
}

// SetExternalEndpoint is the call of the storage system.
func (r *recorder) SetExternalEndpoint(_ context.Context, id, namespace, endpoint string) error {
	set := &Set{ID: id, Namespace: namespace, Endpoint: endpoint, Refused: r.refused("setExternalEndpoint")}
	r.add(Effect{Set: set})
	if set.Refused != "" {
		return errors.New(set.Refused)
	}
	return nil
}

// Event, Eventf and AnnotatedEventf are the methods of a recorder of events. The controller calls only Event.
func (r *recorder) Event(about runtime.Object, kind, reason, message string) {
	named, err := meta.Accessor(about)
	must(err)
	gvk, err := apiutil.GVKForObject(about, scheme)
	must(err)
	r.add(Effect{Event: &Note{
		Kind: gvk.Kind, Namespace: named.GetNamespace(), Name: named.GetName(), Type: kind, Reason: reason, Message: message,
	}})
}

// Eventf is not called by the controller.
func (r *recorder) Eventf(runtime.Object, string, string, string, ...any) {
	panic("not called")
}

// AnnotatedEventf is not called by the controller.
func (r *recorder) AnnotatedEventf(runtime.Object, map[string]string, string, string, string, ...any) {
	panic("not called")
}

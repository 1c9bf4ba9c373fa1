package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// firstVersion is the first resourceVersion that the oracle's API server assigns. Smaller versions belong to the world.
const firstVersion = 1_000_000_000_000

// now is the time at which everything happens. No world uses it, so it can be recognized in the recordings.
var now = metav1.NewTime(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))

// mergePatch returns the RFC 7386 patch from one object to another, without resourceVersion and managedFields.
// Placeholders replace the values that a prediction cannot know.
func mergePatch(from, to any, subresource string) json.RawMessage {
	before, after := tree(from), tree(to)
	if subresource != "status" {
		// The API server ignores the status in such an update.
		delete(before, "status")
		delete(after, "status")
	}
	return encode(placeholders(difference(before, after)))
}

// tree returns the JSON tree of an object, without the fields that no patch shows.
func tree(object any) map[string]any {
	var result map[string]any
	if err := json.Unmarshal(encode(object), &result); err != nil {
		panic(err)
	}
	delete(result, "apiVersion")
	delete(result, "kind")
	if meta, ok := result["metadata"].(map[string]any); ok {
		delete(meta, "resourceVersion")
		delete(meta, "managedFields")
	}
	return result
}

func encode(value any) json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(value))
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// difference returns the merge patch between two trees.
func difference(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for key, old := range before {
		current, ok := after[key]
		if !ok {
			patch[key] = nil
			continue
		}
		oldMap, oldIsMap := old.(map[string]any)
		newMap, newIsMap := current.(map[string]any)
		switch {
		case oldIsMap && newIsMap:
			if inner := difference(oldMap, newMap); len(inner) > 0 {
				patch[key] = inner
			}
		case !reflect.DeepEqual(old, current):
			patch[key] = current
		}
	}
	for key, current := range after {
		if _, ok := before[key]; !ok {
			patch[key] = current
		}
	}
	return patch
}

// started is one minute before the start of this process. All times in a world are earlier.
var started = time.Now().Add(-time.Minute)

// placeholders replaces the resourceVersions and times that the oracle assigned. It also replaces the
// lastTransitionTime of a condition, for which the controllers use the real clock.
func placeholders(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if number, ok := inner.(string); ok && key == "resourceVersion" && given(number) {
				value[key] = "<next>"
			} else if at, err := time.Parse(time.RFC3339, fmt.Sprint(inner)); err == nil && key == "lastTransitionTime" && at.After(started) {
				value[key] = "<now>"
			} else {
				value[key] = placeholders(inner)
			}
		}
	case []any:
		for i, inner := range value {
			value[i] = placeholders(inner)
		}
	case string:
		if value == now.UTC().Format(time.RFC3339) {
			return "<now>"
		}
	}
	return value
}

// given returns whether the oracle's API server assigned a resourceVersion.
func given(version string) bool {
	number, err := strconv.ParseUint(version, 10, 64)
	return err == nil && number >= firstVersion
}

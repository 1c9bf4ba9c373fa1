package judge

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection"
)

// admissionPlugins returns the admission plugins that are enabled by default and that change the objects which these
// controllers create.
func admissionPlugins(factory informers.SharedInformerFactory) ([]admission.MutationInterface, error) {
	known := admission.NewPlugins()
	setdefault.Register(known)
	storageobjectinuseprotection.Register(known)
	var plugins []admission.MutationInterface
	for _, name := range known.Registered() {
		plugin, err := known.InitPlugin(name, nil, informed{factory})
		if err != nil {
			return nil, err
		}
		plugins = append(plugins, plugin.(admission.MutationInterface))
	}
	return plugins, nil
}

// informed gives the plugins the informers that they read from.
type informed struct {
	factory informers.SharedInformerFactory
}

func (i informed) Initialize(plugin admission.Interface) {
	if wants, ok := plugin.(initializer.WantsExternalKubeInformerFactory); ok {
		wants.SetExternalKubeInformerFactory(i.factory)
	}
}

// admit lets the admission plugins change an object that is about to be created.
func (r *resource[T]) admit(object runtime.Object, namespace, name string) error {
	attributes := admission.NewAttributesRecord(object, nil, r.version().WithKind(r.kind), namespace, name,
		r.version().WithResource(r.name), "", admission.Create, nil, false, nil)
	for _, plugin := range r.api.admission {
		if err := plugin.Admit(context.Background(), attributes, nil); err != nil {
			return err
		}
	}
	return nil
}

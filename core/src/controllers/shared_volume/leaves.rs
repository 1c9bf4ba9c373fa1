//! The leaves of the shared-volume controller, and of the components that remove its objects.

use crate::controllers::branch::leaves;

leaves! {
    /// What the controller does with a volume before it reads the Service. Upstream: the filters of `SetupWithManager`
    /// and `Reconcile`, api-manager v1.2.16; `ListSharedVolumes` and `Reconcile`, v1.1.
    VolumeBranch {
        "SV1" VolumeEventIgnored "The event is no update: nothing happens.",
        "SV2" VolumeBeingDeleted "The volume is being deleted: the event does not pass.",
        "SV3" VolumeWithoutId "The storage system has not created the volume yet: the event does not pass.",
        "SV4" VolumeNotExported "No server exports the volume: nothing happens, and its objects stay.",
        "SV5" VolumeEventPasses "The event passes: the volume is reconciled.",
        "SV6" VolumeGone "The volume does not exist any more: nothing happens.",
        "SV7" VolumeUnreadable "The volume cannot be read: the reconciliation is repeated.",
        "SV8" VolumeNotOfKubernetes "A label with the name of the volume or of its claim is missing: nothing happens.",
        "SV9" VolumeClaimMissing "The claim does not exist: nothing is created or deleted, and this is tried again.",
        "SV10" VolumeClaimUnreadable "The claim cannot be read: this is tried again.",
        "SV11" VolumeWanted "The volume is shared, and its claim exists: its objects are compared.",
        "SV12" VolumesNotListed "The volumes cannot be listed: the controller handles no volume in this pass.",
        "SV13" VolumeEndpointInvalid "The endpoint is no address with a port: the volume is dropped.",
        "SV14" VolumeUnchanged "The controller has handled the same record a short time ago: nothing is read.",
    }
    /// What the controller does with the Service. Upstream: `ensureService`, `Service`, `ServiceIsEqual` and
    /// `ServiceUpdate`, api-manager v1.2.16.
    ServiceBranch {
        "SS1" ServiceUnreadable "The Service cannot be read: this is tried again.",
        "SS2" ServiceNotCreated "The Service does not exist, and the API server refuses to create it.",
        "SS3" ServiceNotSeen "The Service was created, but cannot be read with an address within 20 s.",
        "SS4" ServiceNotReadBack "The Service was created, and reading it again fails.",
        "SS5" ServiceCreated "The Service was created.",
        "SS6" ServiceEqual "Nothing that is compared differs: the Service stays as it is.",
        "SS7" ServicePortsReplaced "The Service has no port or several ports: the one wanted port replaces them.",
        "SS8" ServiceTargetSet "The target port differs: it is written.",
        "SS9" ServiceDriftKept
            "The type, or the name, the number or the protocol of the port differs: an update is sent that does not \
            change it.",
        "SS10" ServiceNotUpdated "The Service differs, and the API server refuses the update.",
    }
    /// What the controller does with the Endpoints. Upstream: `ensureService`, `Endpoints`, `EndpointsIsEqual` and
    /// `EndpointsUpdate`, api-manager v1.2.16.
    EndpointsBranch {
        "SN1" EndpointsUnreadable "The Endpoints cannot be read: this is tried again.",
        "SN2" EndpointsNotCreated "There are no Endpoints, and the API server refuses to create them.",
        "SN3" EndpointsNotReadBack "The Endpoints were created, and reading them again fails.",
        "SN4" EndpointsCreated "The Endpoints were created.",
        "SN5" EndpointsNotSeen
            "The Endpoints were created, and are not found a second later: an update without a name fails.",
        "SN6" EndpointsEqual "Nothing that is compared differs: the Endpoints stay as they are.",
        "SN7" EndpointsReplaced "The number of subsets, addresses or ports is not one: the subsets are replaced.",
        "SN8" EndpointsTargetSet "The address or the port differs: both are written.",
        "SN9" EndpointsDriftKept "The name or the protocol of the port differs: an update is sent that keeps it.",
        "SN10" EndpointsNotUpdated "The Endpoints differ, and the API server refuses the update.",
    }
    /// What the controller does with the mount endpoint. Upstream: `Reconcile` and `frontend`, api-manager v1.2.16.
    PublishBranch {
        "SQ1" MountEndpointPublished "The mount endpoint differs from the recorded one: it is published.",
        "SQ2" MountEndpointEqual "The mount endpoint is recorded: nothing is published.",
        "SQ3" MountEndpointNotPublished "The storage system does not take the mount endpoint: this is tried again.",
        "SQ4" MountEndpointUnusable "A mount endpoint is published that no client can use.",
    }
    /// What other components do with the objects later. Upstream: the garbage collector, the endpoints controller and
    /// the endpointslicemirroring controller of kube-controller-manager, 1.36.
    CollectionBranch {
        "SG1" ServiceKept "An owner of the Service exists: the Service stays.",
        "SG2" ServiceWithoutOwner "The Service has no owner: it stays, also when the claim is deleted.",
        "SG3" ServiceCollected "No owner of the Service exists with the uid: the garbage collector deletes it.",
        "SG4" EndpointsKept "The Service exists: its Endpoints stay.",
        "SG5" EndpointsDeleted "The Service is gone: the endpoints controller deletes its Endpoints.",
        "SG6" EndpointsLeft "The Service is gone, and no endpoints controller runs: its Endpoints stay.",
        "SG7" EndpointsComputed "The Service has a selector: the endpoints controller writes the Endpoints, too.",
        "SG8" SliceKept "The mirrored EndpointSlice has its Endpoints: it stays.",
        "SG9" SliceCollected "The Endpoints of the mirrored EndpointSlice are gone: it is deleted.",
    }
}

/// A leaf of one of the functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaf {
    /// The volume.
    Volume(VolumeBranch),
    /// The Service.
    Service(ServiceBranch),
    /// The Endpoints.
    Endpoints(EndpointsBranch),
    /// The mount endpoint.
    Publish(PublishBranch),
}

impl Leaf {
    /// Returns the id of the leaf in `docs/controllers/`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Volume(leaf) => leaf.id(),
            Self::Service(leaf) => leaf.id(),
            Self::Endpoints(leaf) => leaf.id(),
            Self::Publish(leaf) => leaf.id(),
        }
    }

    /// Returns the name of the leaf.
    pub fn name(self) -> &'static str {
        match self {
            Self::Volume(leaf) => leaf.name(),
            Self::Service(leaf) => leaf.name(),
            Self::Endpoints(leaf) => leaf.name(),
            Self::Publish(leaf) => leaf.name(),
        }
    }

    /// Returns the sentence of the leaf.
    pub fn about(self) -> &'static str {
        match self {
            Self::Volume(leaf) => leaf.about(),
            Self::Service(leaf) => leaf.about(),
            Self::Endpoints(leaf) => leaf.about(),
            Self::Publish(leaf) => leaf.about(),
        }
    }
}

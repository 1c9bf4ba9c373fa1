package main

import (
	"context"
	"slices"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stub is the controller service of a driver. It answers as the line says.
type stub struct {
	csi.ControllerClient
	driver   Driver
	recorder *recorder
}

var codeOf = map[string]codes.Code{}

func init() {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		codeOf[code.String()] = code
	}
}

// secretKey is a key in the data of each Secret. Its value is the name of the Secret.
const secretKey = "of"

func (s *stub) CreateVolume(_ context.Context, request *csi.CreateVolumeRequest, _ ...grpc.CallOption) (*csi.CreateVolumeResponse, error) {
	noted := &CreateRequest{
		Name: request.Name, Bytes: request.CapacityRange.RequiredBytes, Modes: []string{},
		Parameters: sortedKeys(request.Parameters), Mutable: sortedKeys(request.MutableParameters), Secret: request.Secrets[secretKey],
		Snapshot: request.VolumeContentSource.GetSnapshot().GetSnapshotId(), Volume: request.VolumeContentSource.GetVolume().GetVolumeId(),
	}
	for _, capability := range request.VolumeCapabilities {
		noted.Modes = append(noted.Modes, capability.AccessMode.Mode.String())
		noted.Block = capability.GetBlock() != nil
		if mount := capability.GetMount(); mount != nil {
			noted.FSType, noted.MountFlags = mount.FsType, mount.MountFlags
		}
	}
	if asked := request.AccessibilityRequirements; asked != nil {
		noted.Topology = &Topology{segments(asked.Requisite), segments(asked.Preferred)}
	}
	s.recorder.effects = append(s.recorder.effects, Effect{Create: noted})
	if code := codeOf[s.driver.Create]; code != codes.OK {
		return nil, status.Error(code, "the driver says no")
	}
	volume := &csi.Volume{VolumeId: "handle-of-" + request.Name, CapacityBytes: noted.Bytes}
	switch s.driver.Capacity {
	case "unknown":
		volume.CapacityBytes = 0
	case "less":
		volume.CapacityBytes--
	case "more":
		volume.CapacityBytes += 1 << 30
	}
	if s.driver.Content {
		volume.ContentSource = request.VolumeContentSource
	}
	for _, place := range s.driver.Topology {
		volume.AccessibleTopology = append(volume.AccessibleTopology, &csi.Topology{Segments: place})
	}
	return &csi.CreateVolumeResponse{Volume: volume}, nil
}

func (s *stub) DeleteVolume(_ context.Context, request *csi.DeleteVolumeRequest, _ ...grpc.CallOption) (*csi.DeleteVolumeResponse, error) {
	s.recorder.effects = append(s.recorder.effects, Effect{Delete: &DeleteRequest{request.VolumeId, request.Secrets[secretKey]}})
	if code := codeOf[s.driver.Delete]; code != codes.OK {
		return nil, status.Error(code, "the driver keeps it")
	}
	return &csi.DeleteVolumeResponse{}, nil
}

func segments(all []*csi.Topology) []map[string]string {
	made := []map[string]string{}
	for _, each := range all {
		made = append(made, each.Segments)
	}
	return made
}

func sortedKeys(parameters map[string]string) []string {
	var keys []string
	for key := range parameters {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

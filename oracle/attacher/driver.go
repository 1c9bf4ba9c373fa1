package main

import (
	"context"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-lib-utils/connection"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stub is the controller service of a driver. It answers as the line says.
type stub struct {
	csi.ControllerClient
	driver Driver
	*recorder
}

var codeOf = map[string]codes.Code{}

func init() {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		codeOf[code.String()] = code
	}
}

// secretKey is a key in the data of each Secret. Its value is the name of the Secret.
const secretKey = "of"

// wait lets the time pass until the driver answers. It returns the error of the answer. A call that takes too long ends
// like one of a client of gRPC.
func (s *stub) wait(ctx context.Context, code string) error {
	select {
	case <-time.After(time.Duration(s.driver.Latency) * time.Millisecond):
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	if code := codeOf[code]; code != codes.OK {
		return status.Error(code, "the driver says no")
	}
	return nil
}

func isMigrated(ctx context.Context) bool {
	info, _ := ctx.Value(connection.AdditionalInfoKey).(connection.AdditionalInfo)
	return info.Migrated == "true"
}

func (s *stub) ControllerPublishVolume(
	ctx context.Context, request *csi.ControllerPublishVolumeRequest, _ ...grpc.CallOption,
) (*csi.ControllerPublishVolumeResponse, error) {
	capability := request.VolumeCapability
	made := &PublishRequest{
		Volume: request.VolumeId, Node: request.NodeId, ReadOnly: request.Readonly, Attributes: request.VolumeContext,
		Mode: capability.AccessMode.Mode.String(), Block: capability.GetBlock() != nil, Secret: request.Secrets[secretKey],
		Migrated: isMigrated(ctx),
	}
	if mount := capability.GetMount(); mount != nil {
		made.FSType, made.MountFlags = mount.FsType, mount.MountFlags
	}
	s.add(Effect{Publish: made})
	if err := s.wait(ctx, s.driver.Publish); err != nil {
		return nil, err
	}
	return &csi.ControllerPublishVolumeResponse{PublishContext: s.driver.Context}, nil
}

func (s *stub) ControllerUnpublishVolume(
	ctx context.Context, request *csi.ControllerUnpublishVolumeRequest, _ ...grpc.CallOption,
) (*csi.ControllerUnpublishVolumeResponse, error) {
	s.add(Effect{Unpublish: &UnpublishRequest{
		Volume: request.VolumeId, Node: request.NodeId, Secret: request.Secrets[secretKey], Migrated: isMigrated(ctx),
	}})
	if err := s.wait(ctx, s.driver.Unpublish); err != nil {
		return nil, err
	}
	return &csi.ControllerUnpublishVolumeResponse{}, nil
}

// ListVolumes answers with one volume on each page.
func (s *stub) ListVolumes(ctx context.Context, request *csi.ListVolumesRequest, _ ...grpc.CallOption) (*csi.ListVolumesResponse, error) {
	if err := s.wait(ctx, s.driver.List); err != nil {
		return nil, err
	}
	made := &csi.ListVolumesResponse{}
	handles := sortedKeys(s.driver.Published)
	for number, handle := range handles {
		if request.StartingToken != "" && handle != request.StartingToken {
			continue
		}
		nodes := &csi.ListVolumesResponse_VolumeStatus{PublishedNodeIds: s.driver.Published[handle]}
		volume := &csi.Volume{VolumeId: handle}
		made.Entries = []*csi.ListVolumesResponse_Entry{{Volume: volume, Status: nodes}, {Volume: volume}, {Status: nodes}}
		if number+1 < len(handles) {
			made.NextToken = handles[number+1]
		}
		break
	}
	return made, nil
}

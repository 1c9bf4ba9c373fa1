package main

import (
	"context"
	"slices"
	"time"

	csispec "github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-lib-utils/connection"
	"github.com/kubernetes-csi/external-resizer/v2/pkg/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stub is a driver. It answers as the line says.
type stub struct {
	csi.Client
	driver       Driver
	capabilities []string
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

func (s *stub) can(capability string) (bool, error) {
	return slices.Contains(s.capabilities, capability), nil
}

func (s *stub) SupportsPluginControllerService(context.Context) (bool, error) { return true, nil }
func (s *stub) SupportsControllerResize(context.Context) (bool, error)        { return s.can("EXPAND_VOLUME") }
func (s *stub) SupportsNodeResize(context.Context) (bool, error)              { return s.can("NODE_EXPAND_VOLUME") }
func (s *stub) SupportsControllerModify(context.Context) (bool, error)        { return s.can("MODIFY_VOLUME") }
func (s *stub) SupportsControllerSingleNodeMultiWriter(context.Context) (bool, error) {
	return s.can("SINGLE_NODE_MULTI_WRITER")
}

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

func (s *stub) Expand(
	ctx context.Context, volume string, bytes int64, secrets map[string]string, capability *csispec.VolumeCapability,
) (int64, bool, error) {
	info, _ := ctx.Value(connection.AdditionalInfoKey).(connection.AdditionalInfo)
	made := &ExpandRequest{
		Volume: volume, Bytes: bytes, Mode: capability.AccessMode.Mode.String(), Block: capability.GetBlock() != nil,
		Secret: secrets[secretKey], Migrated: info.Migrated == "true",
	}
	if mount := capability.GetMount(); mount != nil {
		made.FSType, made.MountFlags = mount.FsType, mount.MountFlags
	}
	s.add(Effect{Expand: made})
	if err := s.wait(ctx, s.driver.Expand); err != nil {
		return 0, false, err
	}
	return s.driver.Capacity, s.driver.NodeExpansion, nil
}

func (s *stub) Modify(ctx context.Context, volume string, secrets, parameters map[string]string) error {
	s.add(Effect{Modify: &ModifyRequest{Volume: volume, Parameters: parameters, Secret: secrets[secretKey]}})
	return s.wait(ctx, s.driver.Modify)
}

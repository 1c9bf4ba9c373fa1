package main

import (
	"net/netip"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/net"
)

// invalid returns the error of an object that the API server does not store, or nil. These are the rules of
// ValidateServiceCreate, ValidateServiceUpdate, ValidateEndpointsCreate and ValidateEndpointsUpdate in
// k8s.io/kubernetes/pkg/apis/core/validation for what the controller writes. What others have written is valid.
func invalid(made, before object) error {
	var errs field.ErrorList
	key := keyOf(made)
	if before == nil {
		errs = append(errs, invalidNames(key)...)
	}
	if key.Kind == "Service" {
		for place, each := range listIn(made, "spec", "ports") {
			at := field.NewPath("spec", "ports").Index(place)
			errs = append(errs, invalidTarget(in(each, "targetPort"), at.Child("targetPort"))...)
		}
	} else if before == nil || string(written(made["subsets"])) != string(written(before["subsets"])) {
		for place, subset := range listIn(made, "subsets") {
			at := field.NewPath("subsets").Index(place)
			errs = append(errs, invalidSubset(subset, at)...)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Kind: key.Kind}, key.Name, errs)
}

// invalidNames does what ValidateObjectMeta does with the name. Since 1.36, the name of a Service is a DNS label
// (RelaxedServiceNameValidation). The name of Endpoints is a DNS subdomain.
func invalidNames(key Object) (errs field.ErrorList) {
	reasons := validation.IsDNS1123Subdomain(key.Name)
	switch {
	case key.Kind == "Service" && len(reasons) == 0 && strings.Contains(key.Name, "."):
		// The modules of this module have another text for this.
		reasons = []string{"must not contain dots"}
	case key.Kind == "Service":
		reasons = validation.IsDNS1123Label(key.Name)
	}
	for _, reason := range reasons {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), key.Name, reason))
	}
	return errs
}

// invalidTarget does what ValidatePortNumOrName does with a number. The controller writes no names.
func invalidTarget(target any, at *field.Path) (errs field.ErrorList) {
	number, ok := target.(float64)
	if !ok {
		return nil
	}
	for _, reason := range validation.IsValidPortNum(int(number)) {
		errs = append(errs, field.Invalid(at, int(number), reason))
	}
	return errs
}

func invalidSubset(subset any, at *field.Path) (errs field.ErrorList) {
	for place, address := range listIn(subset, "addresses") {
		errs = append(errs, invalidAddress(textIn(address, "ip"), at.Child("addresses").Index(place).Child("ip"))...)
	}
	for place, port := range listIn(subset, "ports") {
		number, _ := in(port, "port").(float64)
		for _, reason := range validation.IsValidPortNum(int(number)) {
			errs = append(errs, field.Invalid(at.Child("ports").Index(place).Child("port"), int(number), reason))
		}
	}
	return errs
}

// invalidAddress does what IsValidIPForLegacyField and ValidateEndpointIP do. StrictIPCIDRValidation is on since 1.36.
func invalidAddress(address string, at *field.Path) (errs field.ErrorList) {
	refuse := func(reason string) { errs = append(errs, field.Invalid(at, address, reason)) }
	ip := net.ParseIPSloppy(address)
	if ip == nil {
		refuse("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")
		refuse("must be a valid IP address")
		return errs
	}
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		refuse("must not have leading 0s")
	}
	if parsed.Is4In6() {
		refuse("must not be an IPv4-mapped IPv6 address")
	}
	if ip.IsUnspecified() {
		refuse("may not be unspecified (" + address + ")")
	}
	if ip.IsLoopback() {
		refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)")
	}
	if ip.IsLinkLocalUnicast() {
		refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)")
	}
	if ip.IsLinkLocalMulticast() {
		refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
	}
	return errs
}

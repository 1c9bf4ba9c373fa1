package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// patience is the longest time that a component may take until it is ready.
const patience = 90 * time.Second

// Plane is a control plane whose processes are children of this process.
type Plane struct {
	directory, assets string
	server, token     string
	etcd              string
	// reservation keeps other control planes from the ports of this one.
	reservation net.Listener
	running     map[string]*process
}

func (p *Plane) path(name string) string { return filepath.Join(p.directory, name) }

func (p *Plane) where() Answer {
	return Answer{
		Server: p.server, Etcd: p.etcd, Kubeconfig: p.path("kubeconfig"), CA: p.path("ca.crt"), Token: p.token,
		Assets: p.assets, Directory: p.directory,
	}
}

// begin starts etcd and kube-apiserver, and waits until both answer.
func (p *Plane) begin(arguments []string) error {
	reservation, ports, err := reservePorts(3)
	if err != nil {
		return err
	}
	p.reservation = reservation
	if err := os.MkdirAll(p.directory, 0o700); err != nil {
		return err
	}
	if err := p.keys(); err != nil {
		return err
	}
	client, peer := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	p.etcd = client
	p.server = fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	if err := p.writeKubeconfig(); err != nil {
		return err
	}
	err = p.run("etcd", []string{
		"--data-dir", p.path("etcd"), "--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer,
		"--unsafe-no-fsync", "--log-level", "error",
	})
	if err != nil {
		return err
	}
	if err := p.await("etcd", client+"/health"); err != nil {
		return err
	}
	err = p.run("kube-apiserver", append([]string{
		"--etcd-servers", client, "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(ports[2]), "--cert-dir", p.path("certs"),
		"--tls-cert-file", p.path("server.crt"), "--tls-private-key-file", p.path("server.key"),
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-signing-key-file", p.path("sa.key"), "--service-account-key-file", p.path("sa.pub"),
		"--token-auth-file", p.path("tokens.csv"), "--client-ca-file", p.path("ca.crt"),
		"--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24",
		"--disable-admission-plugins", "ServiceAccount",
	}, arguments...))
	if err != nil {
		return err
	}
	return p.await("kube-apiserver", p.server+"/readyz")
}

// start starts one more component. The component uses the API server of this control plane.
func (p *Plane) start(name, program string, arguments []string) error {
	if _, known := p.running[name]; known {
		return fmt.Errorf("%s is already running", name)
	}
	given := append(slices.Clone(arguments), "--kubeconfig", p.path("kubeconfig"))
	if program != "" {
		return p.runProgram(name, program, given)
	}
	return p.run(name, given)
}

// reservePorts finds count free ports in a row and reserves them with one more port, on which it listens until the
// listener is closed. Every control plane does so. So two control planes cannot choose the same ports, although a
// component listens on its port only some time after the port was chosen. The ports are below those that the system
// gives to outgoing connections. Otherwise an outgoing connection could take a port in that time.
func reservePorts(count int) (net.Listener, []int, error) {
	const least, most, tries = 10000, 30000, 1000
	size := count + 1
	var last error
	for range tries {
		first := least + size*mathrand.IntN((most-least)/size)
		reservation, err := listen(first)
		if err != nil {
			last = err
			continue
		}
		ports := make([]int, count)
		for i := range ports {
			ports[i] = first + 1 + i
			listener, listenErr := listen(ports[i])
			if listenErr != nil {
				err = listenErr
				break
			}
			listener.Close()
		}
		if err == nil {
			return reservation, ports, nil
		}
		reservation.Close()
		last = err
	}
	return nil, nil, fmt.Errorf("there are no free ports from %d to %d: %w", least, most, last)
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}

// await polls until the address answers with status 200, the component ends, or the deadline passes.
func (p *Plane) await(name, address string) error {
	client := http.Client{
		Timeout: 5 * time.Second,
		// The certificate is not verified: this process has just created it, and the answer only decides when to
		// continue.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	deadline := time.Now().Add(patience)
	last := errors.New("no request was sent")
	for time.Now().Before(deadline) {
		if ended := p.running[name].ended(); ended {
			return fmt.Errorf("%s ended: %s", name, p.lastWords(name))
		}
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+p.token)
		if response, err := client.Do(request); err != nil {
			last = err
		} else {
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			last = fmt.Errorf("%s answers %s", address, response.Status)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s is not ready after %v: %w: %s", name, patience, last, p.lastWords(name))
}

// keys creates a certificate authority, the server's certificate, the key of service accounts and the administrator's
// token.
func (p *Plane) keys() error {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	p.token = hex.EncodeToString(random)
	tokens := fmt.Sprintf("%s,admin,admin-uid,\"system:masters\"\n", p.token)
	if err := os.WriteFile(p.path("tokens.csv"), []byte(tokens), 0o600); err != nil {
		return err
	}
	service, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&service.PublicKey)
	if err != nil {
		return err
	}
	if err := errors.Join(p.writeKey("sa.key", service), p.writePEM("sa.pub", "PUBLIC KEY", public)); err != nil {
		return err
	}
	authority, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "control-plane-ca"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	encoded, err := x509.CreateCertificate(rand.Reader, root, root, &authority.PublicKey, authority)
	if err != nil {
		return err
	}
	server, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"},
		NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, leaf, root, &server.PublicKey, authority)
	if err != nil {
		return err
	}
	return errors.Join(
		p.writePEM("ca.crt", "CERTIFICATE", encoded), p.writeKey("ca.key", authority),
		p.writePEM("server.crt", "CERTIFICATE", certificate), p.writeKey("server.key", server),
	)
}

func (p *Plane) writeKey(name string, key *ecdsa.PrivateKey) error {
	encoded, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return p.writePEM(name, "EC PRIVATE KEY", encoded)
}

func (p *Plane) writePEM(name, kind string, content []byte) error {
	return os.WriteFile(p.path(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600)
}

func (p *Plane) writeKubeconfig() error {
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: %s
    certificate-authority: %s
users:
- name: admin
  user:
    token: %s
contexts:
- name: test
  context:
    cluster: test
    user: admin
current-context: test
`, p.server, p.path("ca.crt"), p.token)
	return os.WriteFile(p.path("kubeconfig"), []byte(text), 0o600)
}

// lastWords returns the last lines of a component's log.
func (p *Plane) lastWords(name string) string {
	text, err := os.ReadFile(p.path(name + ".log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

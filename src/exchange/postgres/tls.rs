//! TLS for a connection, by rustls: encrypted alone, as PostgreSQL's `sslmode=require` is, or of a server whose certificate is
//! signed for its name.

use super::super::schema::GraphError;
use super::address::{Address, Tls};
use super::client::error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Stream;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// Makes connections encrypted.
#[derive(Clone)]
pub struct Maker(TlsConnector);

impl Maker {
    /// # Errors
    /// A file of certificates that cannot be read.
    pub fn of(address: &Address) -> Result<Maker, GraphError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone());
        let builder = builder.with_safe_default_protocol_versions();
        let unfit = |said: Error| {
            let remedy = "use sslmode=disable on a network you trust".to_owned();
            error(address, format!("TLS cannot begin: {said}"), remedy)
        };
        let builder = builder.map_err(unfit)?;
        let config = match address.tls {
            Tls::Verify => builder.with_root_certificates(roots(address)?),
            _ => {
                let verifier = Arc::new(Unchecked(provider));
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(verifier)
            }
        };
        let config = Arc::new(config.with_no_client_auth());
        Ok(Maker(TlsConnector::from(config)))
    }
}

/// Who may sign: those of the file that an address names, else those whom everybody trusts.
fn roots(address: &Address) -> Result<RootCertStore, GraphError> {
    let mut store = RootCertStore::empty();
    let Some(file) = address
        .root
        .as_ref()
        .filter(|file| file.as_os_str() != "system")
    else {
        store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(store);
    };
    let unfit = |said: String| {
        let what = format!("sslrootcert {}: {said}", file.display());
        error(
            address,
            what,
            "name a file of certificates as PEM".to_owned(),
        )
    };
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|said| unfit(said.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|said| unfit(said.to_string()))?;
        store
            .add(certificate)
            .map_err(|said| unfit(said.to_string()))?;
    }
    match store.is_empty() {
        true => Err(unfit("no certificate in it".to_owned())),
        false => Ok(store),
    }
}

/// Takes any certificate: what is encrypted for whoever answers, as `require` asks.
#[derive(Debug)]
struct Unchecked(Arc<CryptoProvider>);

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        tokio_rustls::rustls::crypto::verify_tls12_signature(message, certificate, signed, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        tokio_rustls::rustls::crypto::verify_tls13_signature(message, certificate, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// A connection to a server of a name, not yet encrypted.
pub struct Named(TlsConnector, ServerName<'static>);

/// An encrypted connection.
pub struct Encrypted<S>(Stream<S>);

impl<S> MakeTlsConnect<S> for Maker
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = Named;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Named> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(Named(self.0.clone(), name))
    }
}

impl<S> TlsConnect<S> for Named
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let Named(connector, name) = self;
        Box::pin(async move { connector.connect(name, stream).await.map(Encrypted) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

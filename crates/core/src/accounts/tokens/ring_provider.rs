//! Cryptography for `jsonwebtoken`, implemented with `ring`.
//!
//! The library offers a choice of two back ends: a second TLS-sized C library, or some forty crates
//! of which one has an open timing advisory. `ring` is already a dependency for TLS, so this module
//! adapts it: HS256 in both directions for our own tokens, and verification of the algorithms that
//! OpenID providers sign with (RS*, PS*, ES256, ES384, EdDSA).

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::hmac;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};

static RING: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256::signer(key)?)),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    verifier_factory: |algorithm, key| match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256::verifier(key)?)),
        algorithm => Ok(Box::new(PublicKey::new(*algorithm, key)?)),
    },
    // Only needed to decompose keys, which is never done here.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs `ring` as the provider of `jsonwebtoken`. Only the first call has an effect.
pub(in crate::accounts) fn install() {
    let _ = RING.install_default();
}

struct Hs256(hmac::Key);

impl Hs256 {
    fn signer(key: &EncodingKey) -> Result<Self, Error> {
        if key.family() != AlgorithmFamily::Hmac {
            return Err(ErrorKind::InvalidKeyFormat.into());
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())))
    }

    fn verifier(key: &DecodingKey) -> Result<Self, Error> {
        if key.family() != AlgorithmFamily::Hmac {
            return Err(ErrorKind::InvalidKeyFormat.into());
        }
        Ok(Self(hmac::Key::new(
            hmac::HMAC_SHA256,
            key.try_get_as_bytes()?,
        )))
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(hmac::sign(&self.0, message).as_ref().to_vec())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        hmac::verify(&self.0, message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

/// A provider's public key with the only algorithm that it may be used for.
struct PublicKey {
    algorithm: Algorithm,
    key: DecodingKey,
}

/// The `ring` verification of an algorithm.
enum Check {
    Rsa(&'static RsaParameters),
    Raw(&'static dyn VerificationAlgorithm),
}

fn check_of(algorithm: Algorithm) -> Option<Check> {
    Some(match algorithm {
        Algorithm::RS256 => Check::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Check::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Check::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Check::Rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Check::Rsa(&RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Check::Rsa(&RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Check::Raw(&ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Check::Raw(&ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Check::Raw(&ED25519),
        _ => return None,
    })
}

impl PublicKey {
    fn new(algorithm: Algorithm, key: &DecodingKey) -> Result<Self, Error> {
        if check_of(algorithm).is_none() || key.family() == AlgorithmFamily::Hmac {
            return Err(ErrorKind::InvalidAlgorithm.into());
        }
        Ok(Self {
            algorithm,
            key: key.clone(),
        })
    }
}

impl Verifier<Vec<u8>> for PublicKey {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let failed = |_| signature::Error::new();
        match (check_of(self.algorithm), self.key.kind()) {
            (Some(Check::Rsa(parameters)), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }
                    .verify(parameters, message, signature)
                    .map_err(failed)
            }
            (Some(Check::Raw(algorithm)), DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(algorithm, key)
                    .verify(message, signature)
                    .map_err(failed)
            }
            _ => Err(signature::Error::new()),
        }
    }
}

impl JwtVerifier for PublicKey {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

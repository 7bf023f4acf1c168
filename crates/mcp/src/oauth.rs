//! Authorisation at a server: who keeps the tokens, and the way of a user through the browser.
//!
//! The protocol (metadata, PKCE, registration, refresh, issuers) is that of `rmcp`. Here is what it leaves open: requests
//! go through the guarded client, tokens are kept where the host says, one process at a time refreshes them, and the
//! secret of a registered client is kept with them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex as Lock, PoisonError};

use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationCallback, AuthorizationManager, CredentialRefreshGuard,
    CredentialStore, OAuthClientConfig, StoredCredentials,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{ErrorCode, ToolError};
use tenon_store::SecretFile;
use tenon_web::WebUrl;
use tokio::sync::Mutex;

use crate::error::{failed, words};
use crate::host::{McpHost, ServerContext};
use crate::http::Guarded;
use crate::spec::{Oauth, ServerSpec, Way};

/// Where users are led back to unless the host says otherwise.
const REDIRECT: &str = "http://127.0.0.1:33418/callback";

/// How the toolkit is authorised at one server.
pub(crate) struct Authorization {
    server: String,
    options: Option<Oauth>,
    store: Tokens,
    /// The demand of the last answer that refused a request.
    challenge: Lock<Option<String>>,
    /// A way through the browser that has begun.
    pending: Mutex<Option<AuthorizationManager>>,
}

/// What is kept of an authorisation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredAuthorization {
    credentials: Option<StoredCredentials>,
    client_secret: Option<String>,
    redirect_uri: Option<String>,
}

/// Keeps the tokens of one server.
#[derive(Clone)]
struct Tokens {
    /// The address of the server.
    key: String,
    place: Place,
}

#[derive(Clone)]
enum Place {
    /// As long as the toolkit lives.
    Memory(Arc<Lock<Option<String>>>),
    /// A file, shared with other processes.
    File(SecretFile),
    /// The host.
    Host(Arc<dyn McpHost>),
}

impl fmt::Debug for Authorization {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Authorization")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

type Stored<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

fn broken(error: impl fmt::Display) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

impl Tokens {
    async fn read(&self) -> Result<StoredAuthorization, AuthError> {
        let text = match &self.place {
            Place::Memory(text) => text.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Place::File(file) => file.get(&self.key).await.map_err(broken)?,
            Place::Host(host) => {
                let request = json!({ "type": "credentials", "op": "load", "key": self.key });
                let answer = host.ask(request).await.map_err(broken)?;
                answer.as_str().map(str::to_owned)
            }
        };
        match text {
            None => Ok(StoredAuthorization::default()),
            Some(text) => serde_json::from_str(&text).map_err(broken),
        }
    }

    async fn write(&self, kept: &StoredAuthorization) -> Result<(), AuthError> {
        let text = serde_json::to_string(kept).map_err(broken)?;
        match &self.place {
            Place::Memory(memory) => {
                *memory.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                Ok(())
            }
            Place::File(file) => file.set(&self.key, &text).await.map_err(broken),
            Place::Host(host) => {
                let request =
                    json!({ "type": "credentials", "op": "save", "key": self.key, "value": text });
                host.ask(request).await.map(|_| ()).map_err(broken)
            }
        }
    }
}

impl CredentialStore for Tokens {
    fn load<'a, 'async_trait>(&'a self) -> Stored<'async_trait, Option<StoredCredentials>>
    where
        'a: 'async_trait,
    {
        Box::pin(async move { Ok(self.read().await?.credentials) })
    }

    fn save<'a, 'async_trait>(&'a self, credentials: StoredCredentials) -> Stored<'async_trait, ()>
    where
        'a: 'async_trait,
    {
        Box::pin(async move {
            let mut kept = self.read().await?;
            kept.credentials = Some(credentials);
            self.write(&kept).await
        })
    }

    fn clear<'a, 'async_trait>(&'a self) -> Stored<'async_trait, ()>
    where
        'a: 'async_trait,
    {
        Box::pin(async move { self.write(&StoredAuthorization::default()).await })
    }

    fn on_refresh_token_rejected<'a, 'b, 'async_trait>(
        &'a self,
        credentials: &'b StoredCredentials,
    ) -> Stored<'async_trait, ()>
    where
        'a: 'async_trait,
        'b: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            let mut kept = self.read().await?;
            let token = |credentials: &StoredCredentials| {
                serde_json::to_value(&credentials.token_response).unwrap_or_default()
            };
            // Only what was rejected: another process may have stored new tokens since.
            if let Some(stored) = &mut kept.credentials
                && token(stored) == token(credentials)
            {
                stored.token_response = None;
                self.write(&kept).await?;
            }
            Ok(())
        })
    }

    fn acquire_refresh_guard<'a, 'async_trait>(
        &'a self,
    ) -> Stored<'async_trait, Option<CredentialRefreshGuard>>
    where
        'a: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            let Place::File(file) = &self.place else {
                return Ok(None);
            };
            let lock = file.lock(&self.key).await.map_err(broken)?;
            Ok(Some(CredentialRefreshGuard::new(lock)))
        })
    }
}

impl Authorization {
    pub(crate) fn new(spec: &ServerSpec, host: &Arc<dyn McpHost>) -> Self {
        let (key, options) = match &spec.way {
            Way::Address { url, oauth, .. } => (url.clone(), oauth.clone()),
            Way::Program { .. } => (String::new(), None),
        };
        let place = match options
            .as_ref()
            .map(|options| (options.host, &options.file))
        {
            Some((true, _)) => Place::Host(Arc::clone(host)),
            Some((false, Some(file))) => Place::File(SecretFile::new(file)),
            _ => Place::Memory(Arc::default()),
        };
        Self {
            server: spec.id.clone(),
            options,
            store: Tokens { key, place },
            challenge: Lock::default(),
            pending: Mutex::default(),
        }
    }

    /// Remembers what a server demanded.
    pub(crate) fn challenged(&self, challenge: &str) {
        let mut kept = self
            .challenge
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = Some(challenge.to_owned());
    }

    fn failed(&self, error: &AuthError) -> ToolError {
        let message = format!(
            "The authorization at the MCP server `{}` failed: {}.",
            self.server,
            words(&error.to_string())
        );
        failed(&self.server, ErrorCode::AccessDenied, message)
    }

    async fn manager(
        &self,
        context: &ServerContext,
        url: &WebUrl,
    ) -> Result<AuthorizationManager, AuthError> {
        let http = Arc::new(Guarded::of_authorization(context, url));
        let address = url.as_url().clone();
        let mut manager = AuthorizationManager::new_with_oauth_http_client(address, http).await?;
        manager.set_credential_store(self.store.clone());
        Ok(manager)
    }

    /// A client for requests to the server, with tokens where there are some.
    pub(crate) async fn client(
        &self,
        context: &ServerContext,
        url: &WebUrl,
    ) -> Result<AuthClient<Guarded>, ToolError> {
        let made = async {
            let mut manager = self.manager(context, url).await?;
            if self.options.is_some() && manager.initialize_from_store().await? {
                let kept = self.store.read().await?;
                if let (Some(credentials), Some(secret)) = (kept.credentials, kept.client_secret) {
                    let redirect = kept.redirect_uri.unwrap_or_else(|| REDIRECT.to_owned());
                    let client = OAuthClientConfig::new(credentials.client_id, redirect);
                    manager.configure_client(client.with_client_secret(secret))?;
                }
            }
            Ok(manager)
        };
        let manager = made.await.map_err(|error| self.failed(&error))?;
        Ok(AuthClient::new(Guarded::to(context, url), manager))
    }

    fn last_challenge(&self) -> Option<String> {
        let challenge = self.challenge.lock();
        challenge.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Begins the way of a user through the browser: the address to open.
    pub(crate) async fn begin(
        &self,
        context: &ServerContext,
        url: &WebUrl,
    ) -> Result<Value, ToolError> {
        let Some(options) = &self.options else {
            let message = format!(
                "The MCP server `{0}` is not authorized by OAuth. Write `auth: 'oauth'` in `mcpServers.{0}`.",
                self.server
            );
            return Err(failed(&self.server, ErrorCode::InvalidParams, message));
        };
        let begun = async {
            let mut manager = self.manager(context, url).await?;
            let challenge = self.last_challenge();
            let found = manager
                .resolve_metadata_from_challenge(challenge.as_deref())
                .await?;
            let names_itself = found
                .metadata
                .additional_fields
                .get("client_id_metadata_document_supported")
                .and_then(Value::as_bool)
                .unwrap_or_default();
            manager.set_metadata(found.metadata);
            let scopes = match options.scopes.is_empty() {
                true => manager.select_initial_scopes(&[]).await,
                false => options.scopes.clone(),
            };
            let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
            let redirect = options.redirect_uri.as_deref().unwrap_or(REDIRECT);
            let document = options
                .client_metadata_url
                .as_ref()
                .filter(|_| names_itself);
            let client = match (
                options.client_id.as_ref().or(document),
                &options.client_secret,
            ) {
                (Some(id), Some(secret)) => {
                    OAuthClientConfig::new(id, redirect).with_client_secret(secret)
                }
                (Some(id), None) => OAuthClientConfig::new(id, redirect),
                (None, _) => manager.register_client("tenon", redirect, &scopes).await?,
            };
            let kept = StoredAuthorization {
                client_secret: client.client_secret.clone(),
                redirect_uri: Some(redirect.to_owned()),
                ..self.store.read().await.unwrap_or_default()
            };
            manager.configure_client(client)?;
            let address = manager.get_authorization_url(&scopes).await?;
            self.store.write(&kept).await?;
            Ok((manager, address, redirect))
        };
        let (manager, address, redirect) = begun.await.map_err(|error| self.failed(&error))?;
        *self.pending.lock().await = Some(manager);
        Ok(json!({ "url": address, "redirectUri": redirect }))
    }

    /// Ends it with the address that the browser was led back to.
    pub(crate) async fn complete(&self, callback: &str) -> Result<(), ToolError> {
        let pending = self.pending.lock().await;
        let Some(manager) = &*pending else {
            let message = format!(
                "No authorization at the MCP server `{0}` has begun. Call `toolkit.mcp.authorize('{0}')` first.",
                self.server
            );
            return Err(failed(&self.server, ErrorCode::InvalidParams, message));
        };
        let exchanged = async {
            let callback = AuthorizationCallback::from_redirect_url(callback)?;
            let AuthorizationCallback {
                code,
                csrf_token,
                issuer,
                ..
            } = &callback;
            let issuer = issuer.as_deref();
            manager
                .exchange_code_for_token_with_issuer(code, csrf_token, issuer)
                .await
        };
        exchanged.await.map_err(|error| self.failed(&error))?;
        Ok(())
    }
}

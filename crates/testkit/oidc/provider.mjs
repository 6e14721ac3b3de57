// A real OpenID provider for the sign-in tests, on a free loopback port.
//
//   node provider.mjs '{"redirect_uri": "http://…", "accounts": [{"sub": "ada", "email": "…"}]}'
//
// The protocol is implemented by oidc-provider: discovery, PKCE, token and userinfo endpoint. This
// file only chooses the account: `login_hint` in the authorization request names it (or `deny`),
// and without it there is a page with a link for each account, for browser tests. When ready, it
// prints one line, READY and a JSON object. It exits when its standard input is closed, so it never
// outlives its test.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, get } from 'node:http';
import { Provider } from 'oidc-provider';

const { redirect_uri: redirectUri, accounts } = JSON.parse(process.argv[2]);
const DENY = 'deny';

// The provider's notices go to standard error: standard output has one line and is then closed.
console.info = console.error;

const server = createServer();
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const confidential = {
  client_id: 'lede',
  // Generated at each start. Its last characters must be encoded in a Basic header (RFC 6749,
  // 2.3.1).
  client_secret: `${randomBytes(24).toString('base64url')}:%+`,
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: [redirectUri],
};
const open = {
  client_id: 'lede-public',
  token_endpoint_auth_method: 'none',
  redirect_uris: [redirectUri],
};

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const provider = new Provider(issuer, {
  clients: [confidential, open],
  jwks: { keys: [{ ...key, kid: 'test', use: 'sig', alg: 'RS256' }] },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  pkce: { required: () => true },
  // The default, stated explicitly: claims of `email` and `profile` are only at the userinfo
  // endpoint.
  conformIdTokenClaims: true,
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  async findAccount(_, sub) {
    const account = accounts.find((one) => one.sub === sub);
    return account && { accountId: sub, claims: () => account };
  },
  // Signing in implies consent to the requested scopes: consent is not under test.
  async loadExistingGrant({ oidc }) {
    const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
    grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '));
    await grant.save();
    return grant;
  },
});

// Answers the login interaction of the provider.
async function interact(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  const known = accounts.some(({ sub }) => sub === params.login_hint);
  const answer = known
    ? { login: { accountId: params.login_hint } }
    : { error: 'access_denied', error_description: 'the person said no' };
  await provider.interactionFinished(request, response, answer);
}

// A request to this server itself: on its own connection, read to the end, and with a timeout.
// (`fetch` would keep connections and bodies open in the background.)
function ask(url, headers) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers, signal: AbortSignal.timeout(10_000) }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part)).on('error', reject);
      response.on('end', () => resolve({ response, body: Buffer.concat(parts).toString() }));
    });
    request.on('error', reject);
  });
}

// Follows the provider's own redirects with their cookies and returns the first response that
// leaves it. So the client needs neither cookies nor a second request, and every sign-in starts
// without a session.
async function walk(from) {
  const jar = new Map();
  let url = new URL(from, issuer);
  for (;;) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const { response, body } = await ask(url, { cookie, 'x-walking': '1' });
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      jar.set(name, value);
    }
    const { location } = response.headers;
    const next = location && new URL(location, url);
    if (!next || next.origin !== issuer) return { status: response.statusCode, location, body };
    url = next;
  }
}

// The account selection page, for browser tests: `#ada`, `#deny`.
function choices(url) {
  const links = [...accounts.map(({ sub }) => sub), DENY].map((name) => {
    const href = new URL(url);
    href.searchParams.set('login_hint', name);
    return `<li><a id="${name}" href="${href.href.replaceAll('&', '&amp;')}">${name}</a></li>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Sign in</title><ul>${links.join('')}</ul>`;
}

const protocol = provider.callback();

async function answer(request, response) {
  const url = new URL(request.url, issuer);
  if (url.pathname.startsWith('/interaction/')) return interact(request, response);
  if (url.pathname !== '/auth' || request.headers['x-walking']) return protocol(request, response);
  if (!url.searchParams.has('login_hint')) {
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(choices(url));
  }
  const { status, location, body } = await walk(url);
  return response.writeHead(status, location ? { location } : { 'content-type': 'text/html; charset=utf-8' }).end(body);
}

server.on('request', (request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end(String(error));
  });
});

process.stdin.resume().on('end', () => process.exit(0));
const ready = {
  issuer,
  client_id: confidential.client_id,
  client_secret: confidential.client_secret,
  public_client_id: open.client_id,
};
process.stdout.write(`READY ${JSON.stringify(ready)}\n`);

/**
 * The client that the conformance suite runs: it connects with this package and calls each tool that it finds. The
 * suite passes the server's address as the last argument and the scenario in the environment.
 */
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { connectMcpServers, type McpServers } from "../../src/index.ts";

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const url = process.argv.at(-1) ?? "";

const contextSchema = z.looseObject({
  client_id: z.string().default(""),
  client_secret: z.string().default(""),
  private_key_pem: z.string().default(""),
  signing_algorithm: z.string().default("ES256"),
  idp_client_id: z.string().default(""),
  idp_id_token: z.string().default(""),
  idp_token_endpoint: z.string().default(""),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
});
const context = contextSchema.parse(JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"));

const CALLBACK = "http://localhost:3000/callback";

/** Logs in without a browser: it takes the code from the redirect of the authorization server. */
function createLogin() {
  let client: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = "";
  let callback: URLSearchParams | undefined;
  if (scenario === "auth/pre-registration") {
    const { client_id, client_secret } = context;
    client = { client_id, client_secret, redirect_uris: [CALLBACK] };
  }
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: "jaf", redirect_uris: [CALLBACK] },
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information;
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    invalidateCredentials: (what) => {
      if (what === "all" || what === "client") client = undefined;
      if (what === "all" || what === "tokens") tokens = undefined;
    },
    redirectToAuthorization: async (address) => {
      const { headers } = await fetch(address, { redirect: "manual" });
      callback = new URL(headers.get("location") ?? CALLBACK).searchParams;
    },
  };
  return {
    provider,
    /** The parameters of the last redirect, once. */
    takeCallback: () => {
      const taken = callback;
      callback = undefined;
      return taken;
    },
  };
}

function authProvider(login: OAuthClientProvider) {
  const { client_id: clientId, client_secret: clientSecret } = context;
  switch (scenario) {
    case "auth/client-credentials-basic":
      return new ClientCredentialsProvider({ clientId, clientSecret });
    case "auth/client-credentials-jwt":
      return new PrivateKeyJwtProvider({
        ...{ clientId, privateKey: context.private_key_pem, algorithm: context.signing_algorithm },
      });
    case "auth/cross-app-access-complete-flow":
    case "auth/enterprise-managed-authorization":
      return new CrossAppAccessProvider({
        ...{ clientId, clientSecret },
        assertion: async ({ authorizationServerUrl, resourceUrl, fetchFn }) => {
          const granted = await requestJwtAuthorizationGrant({
            tokenEndpoint: context.idp_token_endpoint,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: context.idp_id_token,
            clientId: context.idp_client_id,
            ...(fetchFn === undefined ? {} : { fetchFn }),
          });
          return granted.jwtAuthGrant;
        },
      });
    default:
      return login;
  }
}

/** These servers of the suite know no way to begin in the generation that they test, so the beginning is answered here. */
const WITHOUT_BEGINNING = [
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "sep-2322-client-request-state",
];

const answerBeginning: typeof fetch = async (input, init) => {
  const message = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
  if (message?.method !== "server/discover") return fetch(input, init);
  const result = {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
  };
  return Response.json({ jsonrpc: "2.0", id: message.id, result });
};

const login = createLogin();

async function logIn(servers: McpServers): Promise<boolean> {
  const callback = login.takeCallback();
  if (callback === undefined) return false;
  await servers.finishAuth("s", callback);
  return true;
}

async function call(servers: McpServers, name: string, args: object): Promise<unknown> {
  const find = () => servers.tools.find(({ schema }) => schema.name === name);
  const result = await find()?.execute(args, {});
  console.error(name, JSON.stringify(result)?.slice(0, 500));
  const isDenied = typeof result === "object" && result.error?.code === "PERMISSION_DENIED";
  return isDenied && (await logIn(servers)) ? call(servers, name, args) : result;
}

const schemaOf = (servers: McpServers, name: string): unknown => {
  const parameters = servers.tools.find(({ schema }) => schema.name === name)?.schema.parameters;
  return parameters && z.toJSONSchema(parameters);
};

const servers = await connectMcpServers(
  {
    s: {
      url,
      ...(scenario.startsWith("auth/") ? { authProvider: authProvider(login.provider) } : {}),
      ...(WITHOUT_BEGINNING.includes(scenario) ? { fetch: answerBeginning } : {}),
    },
  },
  {
    onWarning: (warning) => console.error(JSON.stringify(warning)),
    ...(/elicitation|sep-2322|request-metadata/.test(scenario)
      ? {
          elicit: async () => ({
            action: "accept" as const,
            content: scenario.startsWith("sep-2322") ? { confirmed: true } : ({} as Record<string, string>),
          }),
        }
      : {}),
  },
);
for (let logins = 0; logins < 3 && servers.status()["s"]?.state === "unauthorized"; logins += 1)
  if (!(await logIn(servers).catch((thrown: unknown) => console.error(String(thrown))))) break;
console.error(JSON.stringify(servers.status()));

const names = servers.tools.map(({ schema }) => schema.name);
for (const { name, arguments: args } of context.toolCalls ?? []) await call(servers, `s__${name}`, args);
for (const name of context.toolCalls === undefined ? names : []) {
  if (/list_resources|list_prompts|read_resource|get_prompt/.test(name)) continue;
  const schema = schemaOf(servers, "s__json_schema_2020_12_tool");
  const args: Readonly<Record<string, object>> = {
    s__add_numbers: { a: 5, b: 3 },
    s__json_schema_echo: { schema },
  };
  await call(
    servers,
    name,
    args[name] ?? (scenario === "http-invalid-tool-headers" ? { region: "us-west1" } : {}),
  );
}
if (scenario === "http-standard-headers") {
  const listed = String(await call(servers, "s__list_resources", {}));
  await call(servers, "s__read_resource", { uri: /^- (\S+)/m.exec(listed)?.[1] });
  const prompts = String(await call(servers, "s__list_prompts", {}));
  await call(servers, "s__get_prompt", { name: /^- (\S+)/m.exec(prompts)?.[1] });
}
const { state } = servers.status()["s"] ?? {};
await servers.close();
process.exit(state === "connected" ? 0 : 1);

import { withDeadline } from "@jaf/memory/internal";
import {
  Client,
  type PriorDiscovery,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ParsedOptions, ParsedServer } from "../options.ts";
import { McpFailure } from "./failure.ts";
import { createSseTransport, createTransport } from "./transport.ts";

export interface OpenedClient {
  readonly client: Client;
  readonly transport: Transport;
}

export interface Opening {
  readonly name: string;
  readonly server: ParsedServer;
  readonly options: ParsedOptions;
  /** What an earlier connection found out about the server's generation of the protocol. */
  readonly prior: PriorDiscovery | undefined;
  /** Called when the server says that its list of tools has changed. */
  readonly onListChanged: () => void;
  /** Gets each transport that is tried, before it connects. A login can be finished over the last one. */
  readonly onTransport: (transport: Transport) => void;
}

/** The most pages of a list that are read. */
const MAX_PAGES = 16;
/** Many servers change several tools at once. */
const DEBOUNCE_MS = 50;

/** Connects to a server. Rejects with what the client throws, or with a {@link McpFailure} when the time is up. */
export async function openClient(opening: Opening): Promise<OpenedClient> {
  const { server, options } = opening;
  try {
    return await connect(opening, await createTransport(server, options.messageBytes));
  } catch (thrown) {
    if (!("url" in server) || !isWithoutStreamableHttp(thrown)) throw thrown;
    const transport = createSseTransport(server, options.messageBytes);
    // Servers with this transport speak no newer protocol.
    return connect({ ...opening, prior: { kind: "legacy" } }, transport);
  }
}

/** Whether the server has nothing that takes the messages of Streamable HTTP, as the protocol says to tell. */
const isWithoutStreamableHttp = (thrown: unknown): boolean =>
  thrown instanceof SdkHttpError &&
  thrown.code !== SdkErrorCode.ClientHttpAuthentication &&
  (thrown.status === 400 || thrown.status === 404 || thrown.status === 405);

async function connect(opening: Opening, transport: Transport): Promise<OpenedClient> {
  const { options, prior, onTransport } = opening;
  const { connectMs } = options;
  onTransport(transport);
  const client = createClient(opening);
  const connecting = client.connect(transport, {
    timeout: connectMs,
    ...(prior === undefined ? {} : { prior }),
  });
  try {
    await withDeadline(connecting, {
      timeoutMs: connectMs,
      timeoutError: () => new McpFailure({ kind: "unreachable" }),
    });
    return { client, transport };
  } catch (thrown) {
    connecting.catch(() => {});
    await closeQuietly(client, transport);
    throw thrown;
  }
}

/** Closes a connection, whatever state it is in. A child process is ended. */
export async function closeQuietly(client: Client, transport: Transport): Promise<void> {
  // A failure to close is none that anyone can act on: what is closed isn't used again.
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
}

function createClient({ name, options, onListChanged }: Opening): Client {
  const { connectMs, elicit } = options;
  const client = new Client(
    { name: "jaf", version: version() },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.ceil(connectMs / 3) } },
      listMaxPages: MAX_PAGES,
      listChanged: { tools: { autoRefresh: false, debounceMs: DEBOUNCE_MS, onChanged: onListChanged } },
      capabilities: elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true } } },
    },
  );
  if (elicit !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      // The client has refused all modes but forms, as only forms are among the capabilities.
      const { message, requestedSchema } = params as typeof params & { requestedSchema: object };
      const answer = await elicit({
        ...{ server: name, message, signal: mcpReq.signal },
        requestedSchema: { ...requestedSchema },
      });
      return answer.action === "accept" ? { action: "accept", content: { ...answer.content } } : answer;
    });
  return client;
}

/** The version of this package, which servers get. */
const version = (): string => globalThis.JAF_RELEASE?.replace(/.* /, "") ?? "0.0.0";

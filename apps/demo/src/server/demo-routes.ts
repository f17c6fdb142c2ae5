import type { MemoryProvider } from "@jaf/memory";
import { createMessageSearch } from "@jaf/user-memory";
import { Failure } from "../exit.ts";
import type { Samples } from "./samples.ts";

/** Information about the demo for the page. */
interface DemoAbout {
  readonly model: string;
  readonly store: string;
  /** Whether a supervisor restarts the server if it is killed. */
  readonly supervised: boolean;
}

export interface DemoRoutesOptions {
  readonly about: DemoAbout;
  readonly samples: Samples;
  /** Returns the ids of the conversations with matching messages, the best match first. */
  readonly search: (query: string) => Promise<readonly string[]>;
  readonly userId: string;
  /** The allowed `Host` headers. */
  readonly hosts: readonly string[];
  /** Ends the process immediately, like a crash. */
  readonly kill: () => void;
}

const json = (value: unknown, status = 200): Response =>
  Response.json(value, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });

/** Creates the demo's own routes: sample conversations, a message search, and a kill switch. */
export function createDemoRoutes({ about, samples, search, userId, hosts, kill }: DemoRoutesOptions) {
  return async (request: Request, path: string): Promise<Response> => {
    if (!isOwn(request, hosts)) return json({ error: "Pages of other origins can't use the demo." }, 403);
    switch (`${request.method} ${path}`) {
      case "GET /about":
        return json({ ...about, samples: await samples.list(userId) });
      case "GET /search":
        return json({ conversationIds: await search(new URL(request.url).searchParams.get("query") ?? "") });
      case "POST /samples":
        await samples.load(userId);
        return json({ loaded: true });
      case "DELETE /samples":
        await samples.remove(userId);
        return json({ removed: true });
      case "POST /kill":
        if (!about.supervised) return json({ error: "This server has no supervisor to restart it." }, 409);
        kill();
        return json({ killed: true });
      default:
        return json({ error: "Not found." }, 404);
    }
  };
}

/** Whether the request is from the page itself, under an allowed host. Forms of other sites fail, because they can't send JSON. */
function isOwn({ headers, method }: Request, hosts: readonly string[]): boolean {
  const host = headers.get("host") ?? "";
  if (!hosts.includes(host)) return false;
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) return false;
  return method === "GET" || headers.get("content-type")?.startsWith("application/json") === true;
}

const MOST_MESSAGES = 200;
const LONGEST_QUERY = 200;

/** Searches messages of users and assistants by words. Throws a {@link Failure} if the store fails. */
export function createConversationSearch(
  provider: MemoryProvider,
  userId: string,
): (query: string) => Promise<readonly string[]> {
  const messages = createMessageSearch(provider);
  return async (query) => {
    const found = await messages.search(userId, query.slice(0, LONGEST_QUERY), { limit: MOST_MESSAGES });
    if (!found.success) throw new Failure(found.error.message);
    return [...new Set(found.data.map(({ conversationId }) => conversationId))];
  };
}

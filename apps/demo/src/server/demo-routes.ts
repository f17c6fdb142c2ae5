import type { MemoryProvider } from "@jaf/memory";
import { createMessageSearch } from "@jaf/user-memory";
import { Failure } from "../exit.ts";
import type { Samples } from "./samples.ts";

/** What the page is told of the demo. */
interface DemoAbout {
  readonly model: string;
  readonly store: string;
  /** Whether something starts the server again when it was killed. */
  readonly supervised: boolean;
}

export interface DemoRoutesOptions {
  readonly about: DemoAbout;
  readonly samples: Samples;
  /** In which conversations something was said, the best first. */
  readonly search: (query: string) => Promise<readonly string[]>;
  readonly userId: string;
  /** The names by which the server may be called. */
  readonly hosts: readonly string[];
  /** Ends the process at once, as a crash would. */
  readonly kill: () => void;
}

const json = (value: unknown, status = 200): Response =>
  Response.json(value, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });

/** What only the demo has: sample conversations, a search of what was said, and the end of its own process. */
export function createDemoRoutes({ about, samples, search, userId, hosts, kill }: DemoRoutesOptions) {
  return async (request: Request, path: string): Promise<Response> => {
    if (!isOwn(request, hosts)) return json({ error: "Pages of other origins may not use the demo." }, 403);
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
        if (!about.supervised) return json({ error: "Nothing would start the server again." }, 409);
        kill();
        return json({ killed: true });
      default:
        return json({ error: "There is no such thing." }, 404);
    }
  };
}

/** From the page itself, under a name of this server: others are refused, and so is a form of another page, which has no JSON. */
function isOwn({ headers, method }: Request, hosts: readonly string[]): boolean {
  const host = headers.get("host") ?? "";
  if (!hosts.includes(host)) return false;
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) return false;
  return method === "GET" || headers.get("content-type")?.startsWith("application/json") === true;
}

const MOST_MESSAGES = 200;
const LONGEST_QUERY = 200;

/** Finds by words the conversations in which the user or the assistant said them. Throws a {@link Failure}. */
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

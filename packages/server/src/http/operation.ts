import type * as z from "zod";
import type { FailureCode } from "./failure.ts";

type Method = "get" | "post" | "patch" | "delete";

interface Description<Query, Body> {
  readonly summary: string;
  readonly query?: z.ZodObject & z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** The request may come without its body. */
  readonly isBodyOptional?: true;
  /** The `data` of the answer; absent: the answer is no JSON of that form. */
  readonly answer?: z.ZodType;
  /** The answer itself, as JSON. */
  readonly file?: z.ZodType;
  /** `"asked"`: another answer, if the request accepts `text/event-stream`. */
  readonly streams?: "asked" | "always";
  /** When it answers with 204. */
  readonly nothing?: string;
  /** Beside those that any operation has which takes the same: a body, a query, an id in its path. */
  readonly failures?: readonly FailureCode[];
}

/** What a route takes and gives: requests are parsed by it, and the OpenAPI document is made of it. */
export interface Operation<Path extends string = string, Query = unknown, Body = unknown>
  extends Description<Query, Body> {
  readonly method: Method;
  readonly path: Path;
}

/** `path` has `{name}` for each id. */
export const operation = <const Path extends string, Query, Body>(
  method: Method,
  path: Path,
  description: Description<Query, Body>,
): Operation<Path, Query, Body> => ({ ...description, method, path });

import { type BrokenReply, type PartKey, type ReplyRecord, recordReplies } from "./came-back.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import { type JsonObject, type RunningService, type ServiceRequest, startService } from "./service.ts";

export interface FakeOptions {
  /** Asked for each reply, with the body of the request. */
  readonly next: (request: JsonObject) => ScriptedReply;
  /** Those of all fakes of a test. */
  readonly opaque: OpaqueValues;
}

/** What the accepted requests had of the opaque values. */
export interface Findings {
  /** Values that came back to the model that gave them, each time counted. */
  readonly returned: number;
  /** Values of other models. */
  readonly foreign: readonly string[];
  /** Replies of the model that weren't in its request as it had given them. */
  readonly broken: readonly BrokenReply[];
  /** Replies with opaque parts that were. */
  readonly whole: number;
}

export interface FakeService extends RunningService {
  readonly findings: () => Findings;
}

interface Collector {
  /** Of an accepted request. */
  readonly judge: (owner: Owner, request: ServiceRequest, parts: readonly PartKey[]) => void;
  /** Of a reply that is given. */
  readonly gave: (owner: Owner, reply: Parameters<ReplyRecord["add"]>[0]) => void;
}

type Answer = Parameters<typeof startService>[0]["answer"];

interface ModelServiceOptions {
  readonly opaque: OpaqueValues;
  readonly answer: (request: ServiceRequest, collector: Collector) => ReturnType<Answer>;
  readonly errorBody: Parameters<typeof startService>[0]["errorBody"];
}

export async function startModelService(options: ModelServiceOptions): Promise<FakeService> {
  const { opaque, answer, errorBody } = options;
  const records = new Map<Owner, ReplyRecord>();
  const foreign: string[] = [];
  const broken: BrokenReply[] = [];
  let returned = 0;
  let whole = 0;
  const recordOf = (owner: Owner) => {
    const record = records.get(owner) ?? recordReplies();
    records.set(owner, record);
    return record;
  };
  const judge = (owner: Owner, request: ServiceRequest, parts: readonly PartKey[]): void => {
    const text = JSON.stringify(request.body);
    foreign.push(...opaque.foreignIn(text, owner));
    returned += opaque.ownIn(text, owner);
    const found = recordOf(owner).check(parts);
    broken.push(...found.broken);
    whole += found.whole;
  };
  const collector: Collector = { judge, gave: (owner, reply) => recordOf(owner).add(reply) };
  const service = await startService({ answer: (request) => answer(request, collector), errorBody });
  return { ...service, findings: () => ({ returned, foreign, broken, whole }) };
}

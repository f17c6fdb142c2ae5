import { type BrokenReply, type PartKey, type ReplyRecord, recordReplies } from "./came-back.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import { type JsonObject, type RunningService, type ServiceRequest, startService } from "./service.ts";

export interface FakeOptions {
  /** Called for each reply, with the body of the request. */
  readonly next: (request: JsonObject) => ScriptedReply;
  /** The opaque values of all fakes of a test. */
  readonly opaque: OpaqueValues;
}

/** The opaque values in the accepted requests. */
export interface Findings {
  /** How often values came back to their own model. */
  readonly returned: number;
  /** Values of other models, which must not occur. */
  readonly foreign: readonly string[];
  /** The model's replies that were changed in its request. */
  readonly broken: readonly BrokenReply[];
  /** The number of unchanged replies with opaque parts. */
  readonly whole: number;
}

export interface FakeService extends RunningService {
  readonly findings: () => Findings;
}

interface Collector {
  /** The parts of an accepted request. */
  readonly judge: (owner: Owner, request: ServiceRequest, parts: readonly PartKey[]) => void;
  /** The parts of a new reply. */
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

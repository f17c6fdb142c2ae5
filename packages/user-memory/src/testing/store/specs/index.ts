import type { RandomRun, StoreSpec } from "../spec.ts";
import { audit } from "./audit.ts";
import { closing } from "./closing.ts";
import { concurrency } from "./concurrency.ts";
import { erasure } from "./erasure.ts";
import { explain } from "./explain.ts";
import { forgetAll } from "./forget-all.ts";
import { forgetting } from "./forgetting.ts";
import { history } from "./history.ts";
import { limits } from "./limits.ts";
import { list } from "./list.ts";
import { meaning } from "./meaning.ts";
import { names } from "./names.ts";
import { queue } from "./queue.ts";
import { quotations } from "./quotations.ts";
import { recall } from "./recall.ts";
import { remember } from "./remember.ts";
import { repetition } from "./repetition.ts";
import { review } from "./review.ts";
import { supersession } from "./supersession.ts";
import { update } from "./update.ts";
import { userIsolation } from "./user-isolation.ts";

/** All rules of `UserMemoryStore` except the attacks. */
export const storeSpecs = (run: RandomRun): readonly StoreSpec[] => [
  ...[
    remember,
    repetition,
    supersession,
    quotations,
    history,
    recall,
    meaning,
    list,
    update,
    forgetting,
    forgetAll,
  ],
  ...[review, explain, audit, queue, closing, names, limits, concurrency, userIsolation(run), erasure],
];

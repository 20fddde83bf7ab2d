import { STARTABLE_KINDS } from "./kinds.ts";
import { testTaskKind } from "./task-kind.suite.ts";

for (const fixture of STARTABLE_KINDS) testTaskKind(fixture);

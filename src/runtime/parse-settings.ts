import { AppError } from "../core/errors.ts";
import type { PermissionBehavior, PermissionRule } from "../core/permission.ts";
import { settingsFileSchema, type SettingsFile } from "../core/settings-schema.ts";
import { isRecord } from "../lib/is-record.ts";
import { parsePermissionRule } from "../permissions/parse-rule.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";
import { parseSettingsDocument, type SettingsDocument } from "./parse-settings-document.ts";
import { isUntrustedLayer, type SettingsLayer, type SettingsLayerName } from "./settings-layer.ts";

/**
 * Reads the text of a configuration file. Throws an `AppError` of reason `usage` that names file, line and column when it
 * is not JSON with comments, or a known key has a value that cannot be.
 */
export function parseSettings(text: string, { name, file }: { readonly name: SettingsLayerName; readonly file: string }): SettingsLayer {
  const document = parseSettingsDocument(text, file);
  const { success, data, error } = settingsFileSchema().safeParse(document.content);
  if (!success) {
    const [issue] = error.issues;
    throw document.problemAt(issue?.path ?? [], `"${issue?.path.join(".") ?? ""}" ${issue?.message ?? "cannot be used"}`);
  }
  return {
    name,
    file,
    values: data,
    rules: parseRules(data, { name, document }),
    unknownKeys: unknownKeys(document.content).map((path) => ({ key: path.join("."), line: document.positionOf(path).line })),
  };
}

const BEHAVIORS: readonly PermissionBehavior[] = ["allow", "ask", "deny"];

function parseRules(
  values: SettingsFile,
  { name, document }: { readonly name: SettingsLayerName; readonly document: SettingsDocument },
): PermissionRule[] {
  // What allows more is not taken from there, so that it need not be understood.
  const behaviors = isUntrustedLayer(name) ? BEHAVIORS.filter((behavior) => behavior !== "allow") : BEHAVIORS;
  return behaviors.flatMap((behavior) =>
    (values.permissions?.[behavior] ?? []).map((text, index) => {
      try {
        return parsePermissionRule(text, { behavior, layer: name, knownTools: TOOL_NAMES });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw document.problemAt(["permissions", behavior, index], `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`);
      }
    }),
  );
}

function unknownKeys(content: SettingsDocument["content"]): string[][] {
  const { shape } = settingsFileSchema();
  const { permissions } = content;
  const inner = isRecord(permissions) ? Object.keys(permissions) : [];
  return [
    ...Object.keys(content).filter((key) => !Object.hasOwn(shape, key)).map((key) => [key]),
    ...inner.filter((key) => !BEHAVIORS.some((behavior) => behavior === key)).map((key) => ["permissions", key]),
  ];
}

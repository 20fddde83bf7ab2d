/** What a change of the user's settings needs, for when somebody allows something for good. */
export const loadSettingsEditing = () => import("../edit-user-settings.ts");

/** Most runs ask nobody about anything. */
export const loadAskPermission = () => import("./ask-permission.ts");

/**
 * AWS regions in countries, states and provinces from which the venue takes no new orders, on its API either (its
 * geographic restrictions of September 2026). The closest region from which it takes them is eu-west-1.
 */
export const REFUSED_REGION =
  /^(?:us-.*|ca-.*|sa-east-1|ap-east-2|ap-southeast-[124567]|eu-central-1|eu-south-1|eu-west-[23]|eusc-.*)$/;

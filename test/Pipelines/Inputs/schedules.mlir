// A schedule library without entries.
module attributes {tc.schedules = {}} {}

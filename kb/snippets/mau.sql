-- a30 already looks back 30 days: take one day, never a sum
SELECT grass_region, a30 AS mau
FROM traffic.shopee_traffic_dws_platform_active_churn_nd__reg_s0_live
WHERE grass_region = {{ market }}
  AND tz_type = 'local'
  AND grass_date = {{ period.end }}

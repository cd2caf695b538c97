SELECT
  grass_region,
  sum(new_users) AS new_users
FROM traffic.shopee_traffic_dws_platform_active_churn_nd__reg_s0_live
WHERE grass_region = {{ market }}
  AND grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND tz_type = 'local'
GROUP BY grass_region
